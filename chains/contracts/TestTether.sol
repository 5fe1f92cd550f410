// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title Test tether
/// @notice Stablecoin of a local chain with the habits of USDT that break naive callers:
/// - `transfer`, `transferFrom` and `approve` return nothing;
/// - an allowance that is not zero can only be changed to zero;
/// - the owner blocks accounts and pauses all transfers;
/// - a refused call reverts without a reason.
/// @dev For local chains only. It refuses blocked recipients as well as blocked senders, so that
/// both kinds of refusal can be tested. The owner mints without limit, and lets bridges mint and burn;
/// what they mint is refused like a transfer while the token is paused, or for a blocked recipient.
contract TestTether is Ownable {
    /// @notice Number of decimals of an amount.
    uint8 public constant decimals = 6;

    /// @notice Name of the token.
    string public name;
    /// @notice Ticker of the token.
    string public symbol;
    /// @notice Units in existence.
    uint256 public totalSupply;
    /// @notice Whether transfers are paused.
    bool public isPaused;

    /// @notice Units of each account.
    mapping(address account => uint256 amount) public balanceOf;
    /// @notice Units that a spender may still transfer for an owner.
    mapping(address owner => mapping(address spender => uint256 amount)) public allowance;
    /// @notice Whether an account is blocked.
    mapping(address account => bool isBlocked) public isBlocked;
    /// @notice Whether a contract may create units, and destroy its own.
    mapping(address account => bool isMinter) public isMinter;

    /// @notice `amount` units went from `from` to `to`.
    event Transfer(address indexed from, address indexed to, uint256 amount);
    /// @notice `spender` may transfer `amount` units of `owner`.
    event Approval(address indexed owner, address indexed spender, uint256 amount);
    /// @notice An account was blocked or unblocked.
    event BlockedSet(address indexed account, bool isBlocked);
    /// @notice Transfers were paused or resumed.
    event PausedSet(bool isPaused);
    /// @notice A contract was given or lost the right to mint and burn.
    event MinterSet(address indexed account, bool isMinter);

    /// @param name_ Name of the token.
    /// @param symbol_ Ticker of the token.
    constructor(string memory name_, string memory symbol_) Ownable(msg.sender) {
        name = name_;
        symbol = symbol_;
    }

    /// @notice Transfer `amount` units of the caller to `to`.
    function transfer(address to, uint256 amount) external {
        _transfer(msg.sender, to, amount);
    }

    /// @notice Transfer `amount` units of `from` to `to` out of the caller's allowance.
    /// @dev The largest allowance stands for "unlimited" and does not decrease.
    function transferFrom(address from, address to, uint256 amount) external {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= amount);
        if (allowed != type(uint256).max) {
            allowance[from][msg.sender] = allowed - amount;
        }
        _transfer(from, to, amount);
    }

    /// @notice Allow `spender` to transfer `amount` units of the caller.
    /// @dev One of the old and the new allowance must be zero.
    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
    }

    /// @notice Let a contract mint and burn, or not.
    function setMinter(address account, bool isMinter_) external onlyOwner {
        isMinter[account] = isMinter_;
        emit MinterSet(account, isMinter_);
    }

    /// @notice Create `amount` units for `account`.
    function mint(address account, uint256 amount) external {
        _checkMinter();
        if (isMinter[msg.sender]) {
            require(!isPaused && !isBlocked[account]);
        }
        totalSupply += amount;
        balanceOf[account] += amount;
        emit Transfer(address(0), account, amount);
    }

    /// @notice Destroy `amount` units of the caller.
    function burn(uint256 amount) external {
        _checkMinter();
        require(balanceOf[msg.sender] >= amount);
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    /// @notice Block `account`, or unblock it.
    function setBlocked(address account, bool isBlocked_) external onlyOwner {
        isBlocked[account] = isBlocked_;
        emit BlockedSet(account, isBlocked_);
    }

    /// @notice Pause all transfers, or resume them.
    function setPaused(bool isPaused_) external onlyOwner {
        isPaused = isPaused_;
        emit PausedSet(isPaused_);
    }

    function _checkMinter() private view {
        if (!isMinter[msg.sender]) {
            _checkOwner();
        }
    }

    function _transfer(address from, address to, uint256 amount) private {
        require(!isPaused && to != address(0));
        require(!isBlocked[from] && !isBlocked[to]);
        require(balanceOf[from] >= amount);
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
