// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title Delegate
/// @notice Code that an account takes on by EIP-7702, so that a relayer pays for its calls.
/// Guarantees:
/// - only calls that the account has signed are executed, on the chain and account that it signed for;
/// - each nonce is used once, in any order; calls that fail leave it unused;
/// - all calls of a request succeed, or none has an effect.
/// @dev In use, `address(this)` is the account. The nonces lie in an ERC-7201 slot, apart from the
/// storage of any other code that the account delegates to. Called at its own address, the
/// contract executes nothing, because nobody can sign for that address.
contract Delegate is EIP712, IERC1271 {
    /// @notice Call of the account.
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    /// @custom:storage-location erc7201:landbridge.Delegate
    struct DelegateStorage {
        mapping(bytes32 nonce => bool isUsed) nonces;
    }

    bytes32 private constant CALL_TYPEHASH = keccak256("Call(address target,uint256 value,bytes data)");
    bytes32 private constant EXECUTE_TYPEHASH = keccak256(
        "Execute(Call[] calls,bytes32 nonce,uint256 deadline)Call(address target,uint256 value,bytes data)"
    );
    bytes32 private constant STORAGE_SLOT =
        keccak256(abi.encode(uint256(keccak256("landbridge.Delegate")) - 1)) & ~bytes32(uint256(0xff));

    /// @notice The calls signed with `nonce` were executed.
    event Executed(bytes32 indexed nonce);

    /// @notice The nonce was used before.
    error NonceUsed(bytes32 nonce);
    /// @notice The signed deadline has passed.
    error DeadlineExceeded(uint256 deadline);
    /// @notice The account has not signed these calls.
    error SignatureInvalid();

    constructor() EIP712("Landbridge Delegate", "1") {}

    /// @notice Receive native coins, as an account without code does.
    receive() external payable {}

    /// @notice Execute calls that the account has signed; anybody may submit them.
    /// @param calls Calls, in order. If one reverts, its error is returned and nothing has an effect.
    /// @param nonce Number that the account signs once.
    /// @param deadline Last second, in the chain's time, at which the calls may be executed.
    /// @param signature Signature of the account over the EIP-712 struct `Execute`.
    function execute(Call[] calldata calls, bytes32 nonce, uint256 deadline, bytes calldata signature) external {
        require(block.timestamp <= deadline, DeadlineExceeded(deadline));
        require(!_storage().nonces[nonce], NonceUsed(nonce));
        require(_isSigned(hashExecute(calls, nonce, deadline), signature), SignatureInvalid());
        _storage().nonces[nonce] = true;

        for (uint256 i = 0; i < calls.length; ++i) {
            (bool isSuccess, bytes memory result) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            if (!isSuccess) {
                assembly ("memory-safe") {
                    revert(add(result, 0x20), mload(result))
                }
            }
        }
        emit Executed(nonce);
    }

    /// @notice Whether the account's nonce was used.
    function isNonceUsed(bytes32 nonce) external view returns (bool) {
        return _storage().nonces[nonce];
    }

    /// @notice Return ERC-1271's constant if the account has signed `hash`.
    /// @dev Tokens ask an account that has code, so its signed authorizations stay valid.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isSigned(hash, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @notice EIP-712 digest that the account signs.
    function hashExecute(Call[] calldata calls, bytes32 nonce, uint256 deadline) public view returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            hashes[i] =
                keccak256(abi.encode(CALL_TYPEHASH, calls[i].target, calls[i].value, keccak256(calls[i].data)));
        }
        return _hashTypedDataV4(
            keccak256(abi.encode(EXECUTE_TYPEHASH, keccak256(abi.encodePacked(hashes)), nonce, deadline))
        );
    }

    function _isSigned(bytes32 hash, bytes calldata signature) private view returns (bool) {
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecover(hash, signature);
        return failure == ECDSA.RecoverError.NoError && signer == address(this);
    }

    function _storage() private pure returns (DelegateStorage storage store) {
        bytes32 slot = STORAGE_SLOT;
        assembly ("memory-safe") {
            store.slot := slot
        }
    }
}
