// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import {IMessageHandler, LocalMessageTransmitter} from "./LocalMessageTransmitter.sol";

/// @notice Token that lets the messenger create and destroy units.
interface IBridgedToken is IERC20 {
    /// @notice Create units for an account.
    function mint(address account, uint256 amount) external;
    /// @notice Destroy units of the caller.
    function burn(uint256 amount) external;
}

/// @title Local token messenger
/// @notice Moves tokens between local chains by burning and minting, with the interface of Circle's
/// TokenMessengerV2 (circlefin/evm-cctp-contracts, src/v2), and its TokenMinterV2 in one.
/// Guarantees:
/// - units are created here only for a message of a registered messenger that has destroyed them;
/// - a burn without a registered messenger or token on the other chain is refused;
/// - no fee is taken: the whole amount is minted.
/// @dev For local chains only. The owner registers the messengers and tokens of other chains.
///
/// Bytes of the body of a message: version 4, burnt token 32, recipient 32, amount 32, sender 32,
/// largest fee 32, executed fee 32, expiration block 32, data for a hook.
contract LocalTokenMessenger is Ownable, IMessageHandler {
    using SafeERC20 for IERC20;

    /// @notice Version of the format of message bodies.
    uint32 public constant messageBodyVersion = 1;

    uint256 private constant BODY_BYTES = 228;

    /// @notice Transmitter on this chain.
    LocalMessageTransmitter public immutable localMessageTransmitter;

    /// @notice Messenger on another chain.
    mapping(uint32 domain => bytes32 messenger) public remoteTokenMessengers;
    /// @notice Token here that stands for a token of another chain.
    mapping(uint32 domain => mapping(bytes32 remoteToken => address token)) public localTokens;

    /// @notice Units were burnt, to be minted on another chain.
    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    /// @notice Units that were burnt on another chain were minted.
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    /// @param transmitter Transmitter on this chain.
    constructor(LocalMessageTransmitter transmitter) Ownable(msg.sender) {
        localMessageTransmitter = transmitter;
    }

    /// @notice Register the messenger of another chain.
    function setRemoteTokenMessenger(uint32 domain, bytes32 messenger) external onlyOwner {
        remoteTokenMessengers[domain] = messenger;
    }

    /// @notice Register the token here that stands for a token of another chain.
    function setLocalToken(uint32 domain, bytes32 remoteToken, address token) external onlyOwner {
        localTokens[domain][remoteToken] = token;
    }

    /// @notice Burn units of the caller, who has approved this contract, to be minted on another chain.
    /// @param amount Units.
    /// @param destinationDomain Number of the other chain.
    /// @param mintRecipient Account there that receives them.
    /// @param burnToken Token here.
    /// @param destinationCaller Only account that may submit the message there; 0 for any.
    /// @param maxFee Largest fee that may be taken there; less than the amount.
    /// @param minFinalityThreshold Finality of its block from which on the burn may be attested.
    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        require(amount > 0, "Amount must be nonzero");
        require(mintRecipient != bytes32(0), "Mint recipient must be nonzero");
        require(maxFee < amount, "Max fee must be less than amount");
        bytes32 remote = remoteTokenMessengers[destinationDomain];
        require(remote != bytes32(0), "No TokenMessenger for domain");

        IERC20(burnToken).safeTransferFrom(msg.sender, address(this), amount);
        IBridgedToken(burnToken).burn(amount);
        bytes memory body = abi.encodePacked(
            messageBodyVersion,
            _word(burnToken),
            mintRecipient,
            amount,
            _word(msg.sender),
            maxFee,
            uint256(0),
            uint256(0)
        );
        localMessageTransmitter.sendMessage(destinationDomain, remote, destinationCaller, minFinalityThreshold, body);
        emit DepositForBurn(
            burnToken,
            amount,
            msg.sender,
            mintRecipient,
            destinationDomain,
            remote,
            destinationCaller,
            maxFee,
            minFinalityThreshold,
            ""
        );
    }

    /// @inheritdoc IMessageHandler
    function handleReceiveFinalizedMessage(uint32 sourceDomain, bytes32 sender, uint32, bytes calldata messageBody)
        external
        returns (bool)
    {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        require(
            sender != bytes32(0) && sender == remoteTokenMessengers[sourceDomain], "Remote TokenMessenger unsupported"
        );
        require(messageBody.length >= BODY_BYTES, "Invalid burn message: too short");
        require(uint32(bytes4(messageBody[:4])) == messageBodyVersion, "Invalid message body version");
        address token = localTokens[sourceDomain][bytes32(messageBody[4:36])];
        require(token != address(0), "Mint token not supported");
        address recipient = address(uint160(uint256(bytes32(messageBody[36:68]))));
        uint256 amount = uint256(bytes32(messageBody[68:100]));
        IBridgedToken(token).mint(recipient, amount);
        emit MintAndWithdraw(recipient, amount, token, 0);
        return true;
    }

    function _word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
