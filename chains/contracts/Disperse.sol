// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Disperse
/// @notice Pays a batch of transfers of one token, each directly from the caller to a recipient.
/// Guarantees:
/// - the batch is paid as a whole or, if one transfer fails, not at all;
/// - a caller can use a batch id once, so a batch that is submitted twice is paid once;
/// - the contract never holds coins.
/// @dev The caller first approves this contract for the sum of the amounts. Tokens that return
/// nothing from `transferFrom` work as well. There is no owner and nothing to configure.
contract Disperse {
    using SafeERC20 for IERC20;

    /// @notice Whether a sender has used a batch id.
    mapping(address sender => mapping(bytes32 batchId => bool isUsed)) public isUsed;

    /// @notice A batch was paid: `total` units of `token` to `count` recipients.
    event Dispersed(
        address indexed sender, bytes32 indexed batchId, address indexed token, uint256 count, uint256 total
    );

    /// @notice The sender has used the batch id before.
    error BatchUsed(address sender, bytes32 batchId);
    /// @notice The batch is empty, or has not one amount for each recipient.
    error BatchInvalid(uint256 recipients, uint256 amounts);

    /// @notice Transfer `amounts[i]` units of `token` from the caller to `recipients[i]`, for each i.
    /// @param token Token of all transfers.
    /// @param batchId Id that the caller uses for this batch only.
    /// @param recipients Accounts that receive.
    /// @param amounts Units that each receives.
    function disperse(IERC20 token, bytes32 batchId, address[] calldata recipients, uint256[] calldata amounts)
        external
    {
        require(
            recipients.length == amounts.length && recipients.length != 0,
            BatchInvalid(recipients.length, amounts.length)
        );
        require(!isUsed[msg.sender][batchId], BatchUsed(msg.sender, batchId));
        isUsed[msg.sender][batchId] = true;

        uint256 total;
        for (uint256 i = 0; i < recipients.length; ++i) {
            total += amounts[i];
            token.safeTransferFrom(msg.sender, recipients[i], amounts[i]);
        }
        emit Dispersed(msg.sender, batchId, address(token), recipients.length, total);
    }
}
