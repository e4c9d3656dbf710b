/** Reads and prints the status of the stored access token. It never changes the token. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import {
  type AccessTokenState,
  accessTokenState,
  accessTokenStoreKey,
  accessTokenTransition,
  parseStoredAccessToken,
  type StoredAccessToken,
} from '@brokerwire/tokens'
import { oldAccessTokenStoreKey } from '@brokerwire/tokens/internal'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { durationText, instantText } from '../render/duration.ts'
import type { OpenTokens } from './open.ts'

/** Time limit of the second factor (specification, "Limits"). */
const WINDOW_MS = 300_000

/** Status of the token. */
export interface StoredStatus {
  readonly state: AccessTokenState
  readonly record: StoredAccessToken
  readonly nowMs: number
}

/** Reads the status. @throws TokensError `TOKEN_RECORD_INVALID`; StoresError. */
export async function readStatus({
  store,
  identity,
}: Pick<OpenTokens, 'store' | 'identity'>): Promise<StoredStatus> {
  const nowMs = Date.now()
  const text = await store.get(accessTokenStoreKey(identity))
  const oldText =
    text === undefined && identity.hasTableAddresses
      ? await store.get(oldAccessTokenStoreKey(identity))
      : undefined
  const stored = parseStoredAccessToken(text ?? oldText)
  const record = accessTokenTransition(stored, { type: 'time', nowMs })
  return { state: accessTokenState(record), record, nowMs }
}

/** Returns the end of the second factor's time limit. */
export function getDeadline({ record }: StoredStatus): number | undefined {
  return record.pending && record.pending.createdAtMs + WINDOW_MS
}

/** Returns the exit status for the status of the token. */
export function getTokenExitStatus({ state }: StoredStatus): number {
  if (state === 'normal' || state === 'renewing') return EXIT.done
  return state === 'pending' || state === 'unrecognized' ? EXIT.tryAgain : EXIT.credentials
}

/** Describes the status in a sentence. */
export function describeStatus(status: StoredStatus): string {
  const { state, record, nowMs } = status
  const deadlineMs = getDeadline(status) ?? nowMs
  const leftMs = deadlineMs - nowMs
  const window =
    leftMs > 0
      ? `you must enter a code in the app within ${durationText(leftMs)}`
      : 'the five minutes for the code have passed'
  const expiresAtMs = record.current?.expiresAtMs
  const until =
    expiresAtMs === undefined
      ? ''
      : ` until ${instantText(expiresAtMs)}, ${durationText(expiresAtMs - nowMs)} from now`
  switch (state) {
    case 'normal':
      return `usable${until}`
    case 'renewing':
      return `usable${until}; a new one is pending: ${window}`
    case 'pending':
      return `pending: ${window}`
    case 'unrecognized':
      return `in an undocumented state: ${record.pending?.status ?? ''}`
    case 'none':
      return 'none: `brokerwire token create` creates one'
    case 'unresolved':
      return 'none, and the outcome of the last create request is unknown: `brokerwire token create` can try again after five minutes'
    default:
      return `ended (${state}): \`brokerwire token create\` creates a new one`
  }
}

/** Prints the status and returns the exit status. */
export function showStatus(
  status: StoredStatus,
  { identity, directory }: Pick<OpenTokens, 'identity' | 'directory'>,
  flags: { readonly json?: boolean; readonly reveal?: boolean },
  io: GuardedIo,
): number {
  const { state, record } = status
  const secret = record.current?.token ?? record.pending?.token
  const token = flags.reveal ? secret?.reveal() : undefined
  const iso = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString()
  if (flags.json) {
    const shown = {
      state,
      usable: getTokenExitStatus(status) === EXIT.done,
      expiresAt: iso(record.current?.expiresAtMs),
      secondFactorUntil: iso(getDeadline(status)),
      environment: identity.environment,
      region: identity.region,
      appKey: identity.appKey,
      baseUrl: identity.baseUrl,
      store: directory,
      ...(token === undefined ? {} : { token }),
    }
    io.out(escapeJsonControlChars(JSON.stringify(shown)))
  } else {
    io.out(`token: ${escapeControlChars(describeStatus(status))}`)
    if (token !== undefined) io.out(escapeControlChars(token))
  }
  return getTokenExitStatus(status)
}
