/** Synchronous hash functions for the diagnosis of a signature, which tries many strings. */
import { hmac } from '@noble/hashes/hmac.js'
import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { DiagnosisHashes } from '../../../packages/simulator/src/diagnose-signature.ts'

const HASHES = { md5, sha1, sha256 }

export const PAGE_HASHES: DiagnosisHashes = {
  digest: (name, bytes) => bytesToHex(HASHES[name](bytes)),
  hmac: (name, key, message) =>
    btoa(String.fromCharCode(...hmac(HASHES[name], utf8ToBytes(key), utf8ToBytes(message)))),
}
