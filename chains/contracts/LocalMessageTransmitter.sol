// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice Contract that carries out messages from other chains.
interface IMessageHandler {
    /// @notice Carry out a message whose source block is final; return true.
    function handleReceiveFinalizedMessage(
        uint32 sourceDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata messageBody
    ) external returns (bool);
}

/// @title Local message transmitter
/// @notice Passes messages between local chains, with the interface of Circle's MessageTransmitterV2
/// (circlefin/evm-cctp-contracts, src/v2): the same functions, events and bytes of a message.
/// Guarantees:
/// - a message is carried out only with the signatures of both attesters, who sign its keccak-256;
/// - each nonce is used once, so a message that is submitted twice is carried out once;
/// - a message for another chain, or of another version, is refused;
/// - only messages of final blocks are carried out (finality threshold 2000).
/// @dev For local chains only. A message is sent with the nonce 0: the attestation service gives it
/// its nonce and the executed finality. Attesters can't be changed, and nothing can be paused.
///
/// Bytes of a message: version 4, source domain 4, destination domain 4, nonce 32, sender 32,
/// recipient 32, destination caller 32, minimum finality 4, executed finality 4, body.
contract LocalMessageTransmitter {
    /// @notice Version of the format of messages.
    uint32 public constant version = 1;
    /// @notice Number of signatures in an attestation.
    uint256 public constant signatureThreshold = 2;

    uint256 private constant SIGNATURE_BYTES = 65;
    uint256 private constant BODY_INDEX = 148;
    uint32 private constant FINALIZED = 2000;

    /// @notice Number of this chain among those that exchange messages.
    uint32 public immutable localDomain;

    /// @notice Whether an account attests messages.
    mapping(address attester => bool isEnabled) public isEnabledAttester;
    /// @notice 1 for a nonce that was used, else 0.
    mapping(bytes32 nonce => uint256 isUsed) public usedNonces;

    /// @notice A message was sent.
    event MessageSent(bytes message);
    /// @notice A message was carried out.
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    /// @param localDomain_ Number of this chain.
    /// @param first One attester.
    /// @param second The other attester.
    constructor(uint32 localDomain_, address first, address second) {
        require(first != address(0) && second != address(0) && first != second, "Invalid attesters");
        localDomain = localDomain_;
        isEnabledAttester[first] = true;
        isEnabledAttester[second] = true;
    }

    /// @notice Send a message to a contract on another chain.
    /// @param destinationDomain Number of the other chain.
    /// @param recipient Contract that carries it out.
    /// @param destinationCaller Only account that may submit it there; 0 for any.
    /// @param minFinalityThreshold Finality of its block from which on it may be attested.
    /// @param messageBody Content for the recipient.
    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(destinationDomain != localDomain, "Domain is local domain");
        require(recipient != bytes32(0), "Recipient must be nonzero");
        emit MessageSent(
            abi.encodePacked(
                version,
                localDomain,
                destinationDomain,
                bytes32(0),
                bytes32(uint256(uint160(msg.sender))),
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0),
                messageBody
            )
        );
    }

    /// @notice Carry out a message from another chain; any account may submit it.
    /// @param message Message with its nonce.
    /// @param attestation Signatures of both attesters, in the order of their addresses.
    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool) {
        _checkAttestation(keccak256(message), attestation);
        require(message.length >= BODY_INDEX, "Invalid message: too short");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 caller = bytes32(message[108:140]);
        require(caller == bytes32(0) || caller == bytes32(uint256(uint160(msg.sender))), "Invalid caller for message");
        require(uint32(bytes4(message[:4])) == version, "Invalid message version");
        require(uint32(bytes4(message[144:148])) >= FINALIZED, "Unsupported finality threshold");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = 1;
        _handle(message, nonce);
        return true;
    }

    function _handle(bytes calldata message, bytes32 nonce) private {
        uint32 sourceDomain = uint32(bytes4(message[4:8]));
        bytes32 sender = bytes32(message[44:76]);
        address recipient = address(uint160(uint256(bytes32(message[76:108]))));
        uint32 finality = uint32(bytes4(message[144:148]));
        bytes calldata body = message[BODY_INDEX:];
        require(
            IMessageHandler(recipient).handleReceiveFinalizedMessage(sourceDomain, sender, finality, body),
            "handleReceiveFinalizedMessage() failed"
        );
        emit MessageReceived(msg.sender, sourceDomain, nonce, sender, finality, body);
    }

    function _checkAttestation(bytes32 digest, bytes calldata attestation) private view {
        require(attestation.length == SIGNATURE_BYTES * signatureThreshold, "Invalid attestation length");
        address last = address(0);
        for (uint256 i = 0; i < signatureThreshold; ++i) {
            bytes memory signature = attestation[i * SIGNATURE_BYTES:(i + 1) * SIGNATURE_BYTES];
            address attester = ECDSA.recover(digest, signature);
            require(attester > last, "Signature verification failed: signer is out of order or duplicate");
            require(isEnabledAttester[attester], "Signature verification failed: signer is not enabled attester");
            last = attester;
        }
    }
}
