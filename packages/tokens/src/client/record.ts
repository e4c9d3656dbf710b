/** What the store keeps of a customer's pair. The refresh token is as good as a password for 15 days. */
import { openRecord, RECORD_FORMAT } from '../record-reader.ts'
import type { IssuedPair } from './machine.ts'

/** The text of a record. */
export function encodePair({ pair, issuedAtMs }: IssuedPair): string {
  return JSON.stringify({
    format: RECORD_FORMAT,
    accessToken: pair.accessToken.reveal(),
    expiresAtMs: pair.expiresAtMs,
    refreshToken: pair.refreshToken.reveal(),
    refreshExpiresAtMs: pair.refreshExpiresAtMs,
    issuedAtMs,
  })
}

/**
 * The pair in a record. One that cannot be read is an error and stays: to replace it would end the customer's
 * sessions.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 */
export function decodePair(text: string): IssuedPair {
  const fields = ['accessToken', 'expiresAtMs', 'refreshToken', 'refreshExpiresAtMs', 'issuedAtMs']
  const record = openRecord(text, fields)
  return {
    pair: {
      accessToken: record.secret('accessToken'),
      expiresAtMs: record.time('expiresAtMs'),
      refreshToken: record.secret('refreshToken'),
      refreshExpiresAtMs: record.time('refreshExpiresAtMs'),
    },
    issuedAtMs: record.time('issuedAtMs'),
    phase: 'fresh',
  }
}
