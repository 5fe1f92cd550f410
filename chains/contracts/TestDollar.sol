// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

/// @title Test dollar
/// @notice Stablecoin of a local chain: six decimals, permit (EIP-2612) and transfers by signed
/// authorization (EIP-3009). The EIP-712 domain is the token's name with version "1".
/// @dev For local chains only. The owner mints without limit, and lets bridges mint and burn.
contract TestDollar is ERC20, ERC20Permit, ERC3009, Ownable {
    /// @notice Whether a contract may create units, and destroy its own.
    mapping(address account => bool isMinter) public isMinter;

    /// @notice A contract was given or lost the right to mint and burn.
    event MinterSet(address indexed account, bool isMinter);

    /// @param name_ Name of the token, and of its EIP-712 domain.
    /// @param symbol_ Ticker of the token.
    constructor(string memory name_, string memory symbol_)
        ERC20(name_, symbol_)
        ERC20Permit(name_)
        Ownable(msg.sender)
    {}

    /// @notice Let a contract mint and burn, or not.
    function setMinter(address account, bool isMinter_) external onlyOwner {
        isMinter[account] = isMinter_;
        emit MinterSet(account, isMinter_);
    }

    /// @notice Create `amount` units for `account`.
    function mint(address account, uint256 amount) external {
        _checkMinter();
        _mint(account, amount);
    }

    /// @notice Destroy `amount` units of the caller.
    function burn(uint256 amount) external {
        _checkMinter();
        _burn(msg.sender, amount);
    }

    /// @notice Number of decimals of an amount.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function _checkMinter() private view {
        if (!isMinter[msg.sender]) {
            _checkOwner();
        }
    }
}
