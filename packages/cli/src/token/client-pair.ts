/** Reads and prints the stored client tokens of a user. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import {
  clientTokenStoreKey,
  clientTokenTransition,
  parseStoredClientToken,
  type StoredClientToken,
} from '@brokerwire/tokens'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { durationText, instantText } from '../render/duration.ts'
import type { SettingFlags } from '../settings/read-settings.ts'
import type { OpenTokens } from './open.ts'

/** Flags of commands about client tokens. */
export type PairFlags = SettingFlags & { readonly json?: boolean; readonly reveal?: boolean }

/**
 * Reads the tokens. Returns `undefined` if no tokens are stored.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`; StoresError.
 */
export async function readPair(
  { store, identity }: OpenTokens,
  user: string,
): Promise<StoredClientToken | undefined> {
  const pair = parseStoredClientToken(await store.get(clientTokenStoreKey(identity, user)))
  return clientTokenTransition(pair, { type: 'time', nowMs: Date.now() })
}

/** Prints the tokens and returns the exit status. */
export function showPair(
  issued: StoredClientToken | undefined,
  user: string,
  flags: PairFlags,
  io: GuardedIo,
): number {
  const nowMs = Date.now()
  const pair = issued?.pair
  const isUsable = pair !== undefined && pair.expiresAtMs > nowMs
  const status = isUsable ? EXIT.done : EXIT.credentials
  const iso = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString()
  if (flags.json) {
    const shown = {
      user,
      usable: isUsable,
      phase: issued?.phase ?? 'none',
      expiresAt: iso(pair?.expiresAtMs),
      refreshExpiresAt: iso(pair?.refreshExpiresAtMs),
      ...(flags.reveal && pair !== undefined ? { accessToken: pair.accessToken.reveal() } : {}),
    }
    io.out(escapeJsonControlChars(JSON.stringify(shown)))
    return status
  }
  if (pair === undefined) {
    io.out('client token: none')
    return status
  }
  const until = (ms: number): string =>
    ms > nowMs
      ? `until ${instantText(ms)}, ${durationText(ms - nowMs)} from now`
      : `expired at ${instantText(ms)}`
  io.out(`client token: ${isUsable ? 'usable ' : ''}${until(pair.expiresAtMs)}`)
  io.out(`refresh token: ${until(pair.refreshExpiresAtMs)}`)
  if (flags.reveal) io.out(escapeControlChars(pair.accessToken.reveal()))
  return status
}
