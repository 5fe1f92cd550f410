// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

/// @title Test dollar
/// @notice Stablecoin of a local chain: six decimals, permit (EIP-2612) and transfers by signed
/// authorization (EIP-3009). The EIP-712 domain is the token's name with version "1".
/// @dev For local chains only. The owner mints without limit.
contract TestDollar is ERC20, ERC20Permit, ERC3009, Ownable {
    /// @param name_ Name of the token, and of its EIP-712 domain.
    /// @param symbol_ Ticker of the token.
    constructor(string memory name_, string memory symbol_)
        ERC20(name_, symbol_)
        ERC20Permit(name_)
        Ownable(msg.sender)
    {}

    /// @notice Create `amount` units for `account`.
    function mint(address account, uint256 amount) external onlyOwner {
        _mint(account, amount);
    }

    /// @notice Number of decimals of an amount.
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
