#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>

#include "backends/gloo/links/sealing/secret.hpp"

namespace dipaco {

/// This connection cannot go on: the other side is no node of ours, or what it sent is damaged. Ends no more than it.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The other side has not our secret.
class NotAuthorised : public LinkError {
 public:
  using LinkError::LinkError;
};

/// Of one connection, by direction; none where the run has no secret.
struct SessionKeys {
  std::optional<Key> sending{};
  std::optional<Key> receiving{};
};

/// How two nodes begin a connection, as bytes:
///
///   initiator -> responder   offer: format, version, whether there is a secret, a fresh public key (X25519)
///   responder -> initiator   offer, proof
///   initiator -> responder   proof
///
/// A proof is a keyed hash of both offers: whoever gives it knows the secret, and both saw the same offers. The keys
/// follow from the fresh keys and the secret: what was recorded opens for nobody who learns the secret later.
/// Without a secret proofs show damage only.
class Handshake {
 public:
  enum class Side : std::uint8_t { initiator, responder };
  static constexpr std::size_t kOfferSize = 48;
  static constexpr std::size_t kProofSize = 32;
  using Offer = std::array<std::byte, kOfferSize>;
  using Proof = std::array<std::byte, kProofSize>;

  /// @param secret  of the run; null: it has none
  Handshake(Side side, const Secret* secret);

  const Offer& offer() const { return ours_; }
  /// @throws LinkError where it is none, or of another version; NotAuthorised where one side alone has a secret
  void take_offer(const Offer& offer);
  /// REQUIRES: take_offer
  Proof proof() const { return proof_of(side_); }
  /// @throws NotAuthorised
  void check_proof(const Proof& proof) const;
  SessionKeys keys() const;

 private:
  Proof proof_of(Side side) const;

  Side side_;
  bool has_secret_;
  Key key_;         ///< of proofs; derived from the secret, or zeros
  Key secret_key_;  ///< fresh
  Offer ours_{};
  Offer theirs_{};
};

}  // namespace dipaco
