/** What the store keeps of a customer's pair. The refresh token is as good as a password for 15 days. */
import { isRecord, Secret } from '@brokerwire/core'
import type { IssuedPair } from './client-machine.ts'
import { TokensError } from './tokens-error.ts'

const FORMAT = 1

/** The text of a record. */
export function encodePair({ pair, issuedAtMs }: IssuedPair): string {
  return JSON.stringify({
    format: FORMAT,
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
  const invalid = (reason: 'malformed' | 'newer-format', field: string): TokensError =>
    new TokensError('TOKEN_RECORD_INVALID', `the stored pair cannot be read: ${field}`, {
      details: { reason, field },
    })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not kept as the cause: the host's message quotes the text.
  }
  if (!isRecord(json) || typeof json.format !== 'number') throw invalid('malformed', 'format')
  if (json.format > FORMAT) throw invalid('newer-format', 'format')
  const record = json
  const token = (name: string): Secret => {
    const value = record[name]
    if (typeof value !== 'string' || value === '') throw invalid('malformed', name)
    return new Secret(value)
  }
  const time = (name: string): number => {
    const value = record[name]
    if (typeof value !== 'number') throw invalid('malformed', name)
    return value
  }
  return {
    pair: {
      accessToken: token('accessToken'),
      expiresAtMs: time('expiresAtMs'),
      refreshToken: token('refreshToken'),
      refreshExpiresAtMs: time('refreshExpiresAtMs'),
    },
    issuedAtMs: time('issuedAtMs'),
  }
}
