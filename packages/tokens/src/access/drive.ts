/** Runs the access-token machine: effects out through the ports, their results back in as events. */
import {
  type AbortSignalLike,
  abortable,
  type Clock,
  sleep,
  throwIfAborted,
  unreachable,
} from '@brokerwire/core'
import { callApi } from '../api-call.ts'
import type { AccessTokenRecord, ApiFailure, ApiResult, TokenApi } from '../types.ts'
import { accessTokenTransition } from './machine.ts'
import type { AccessTokenEvent, AccessTokenOutcome, AccessTokenState } from './state.ts'

/** What the runner needs. */
export interface DrivePorts {
  readonly api: TokenApi
  readonly clock: Clock
  readonly callTimeoutMs: number
  /** In production: how long no other create follows one whose outcome is not known. */
  readonly quietMs: number
  /** Codes of a refused check that mean: there is no such token. */
  readonly rejectionCodes: readonly string[]
  /** Ends also a create that was sent: the lock under which it was made is lost, and another may be made. */
  readonly lost?: AbortSignalLike | undefined
  /** @returns Whether the token is still the one that the store holds; `false` ends the run. */
  save(state: AccessTokenState): Promise<boolean>
  notify(createdAtMs: number): void
  answered(call: 'create' | 'check', result: ApiResult<AccessTokenRecord>): void
}

/** How a run ended. */
export interface DriveResult {
  readonly state: AccessTokenState
  /** `superseded`: somebody else has replaced the token. `undefined`: it rests, for example at PENDING. */
  readonly outcome: AccessTokenOutcome | 'superseded' | undefined
  readonly failure: ApiFailure | undefined
}

/**
 * Runs from `state` with `event` until nothing is left to do.
 *
 * @param signal - Ends waits and checks, and a create that has not left. One that was sent is not aborted: its token
 * would be lost.
 * @throws The signal's reason; what `save` throws.
 */
export async function drive(
  ports: DrivePorts,
  start: AccessTokenState,
  event: AccessTokenEvent,
  signal?: AbortSignalLike | undefined,
): Promise<DriveResult> {
  const { api, clock, callTimeoutMs } = ports
  let state = start
  let next: AccessTokenEvent | undefined = event
  let outcome: DriveResult['outcome']
  let failure: ApiFailure | undefined
  while (next !== undefined) {
    const [after, effects] = accessTokenTransition(state, next)
    state = after
    next = undefined
    for (const effect of effects) {
      switch (effect.type) {
        case 'save':
          if (!(await ports.save(state))) return { state, outcome: 'superseded', failure: undefined }
          break
        case 'notify':
          ports.notify(effect.createdAtMs)
          break
        case 'settled':
          outcome = effect.outcome
          failure = effect.failure
          break
        case 'wait': {
          const delayMs = effect.untilMs - clock.now()
          if (delayMs > 0) await sleep(clock, delayMs, signal)
          next = { type: 'time', nowMs: clock.now() }
          break
        }
        case 'create': {
          const { previousToken } = effect
          const result = await callApi(
            clock,
            callTimeoutMs,
            (options) => api.create({ previousToken }, { ...options, unsentSignal: signal }),
            ports.lost,
          )
          ports.answered('create', result)
          const nowMs = clock.now()
          next = result.ok
            ? { type: 'created', nowMs, record: result.value }
            : { type: 'create-failed', nowMs, failure: result.failure, quietMs: ports.quietMs }
          break
        }
        case 'check': {
          throwIfAborted(signal)
          const { token } = effect
          const check = callApi(clock, callTimeoutMs, (options) => api.check(token, options), signal)
          const result = await abortable(check, signal)
          ports.answered('check', result)
          next = checkEvent(result, token, clock.now(), ports.rejectionCodes)
          break
        }
        default:
          unreachable(effect)
      }
    }
  }
  return { state, outcome, failure }
}

/** A check that is refused with 401 because the service does not know the token says as much as the status INVALID. */
function checkEvent(
  result: ApiResult<AccessTokenRecord>,
  token: AccessTokenRecord['token'],
  nowMs: number,
  rejectionCodes: readonly string[],
): AccessTokenEvent {
  if (result.ok) return { type: 'checked', nowMs, record: result.value }
  const { failure } = result
  const unknown =
    failure.kind === 'refused' &&
    failure.status === 401 &&
    failure.code !== undefined &&
    rejectionCodes.includes(failure.code)
  return unknown
    ? { type: 'checked', nowMs, record: { token, expiresAtMs: undefined, status: 'INVALID' } }
    : { type: 'check-failed', nowMs, failure }
}
