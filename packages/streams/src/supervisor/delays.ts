/** How long the supervisor bears silence, as pure functions of the policy. How long it waits is core's to say. */
import type { SupervisorPolicy } from './policy.ts'

/** How much silence is borne: two and a half ping intervals, within the policy's bounds. */
export function silenceMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  if (pingIntervalMs === undefined) return policy.silenceMs
  return Math.min(policy.silenceMaxMs, Math.max(policy.silenceMinMs, Math.round(pingIntervalMs * 2.5)))
}

/** The part of {@link silenceMs} after which a heartbeat counts as late: one and a half ping intervals. */
export function lateMs(policy: SupervisorPolicy, pingIntervalMs: number | undefined): number {
  return Math.round(silenceMs(policy, pingIntervalMs) * 0.6)
}

/**
 * Until silence is looked at again: a tenth of what is borne, and never past an instant at which something is due.
 *
 * Timers measure silence, because clocks jump. When a frame came since the last look is not known, so a tenth is how
 * much too early a connection may be given up, and it is never too late.
 *
 * @param quietMs - How long it has been silent.
 */
export function lookAgainMs(
  policy: SupervisorPolicy,
  pingIntervalMs: number | undefined,
  quietMs: number,
): number {
  const limitMs = silenceMs(policy, pingIntervalMs)
  const dueMs = lateMs(policy, pingIntervalMs)
  return Math.min(Math.ceil(limitMs / 10), (quietMs < dueMs ? dueMs : limitMs) - quietMs)
}

/**
 * The rhythm of the pings, smoothed.
 *
 * @param observedMs - Time between two pings of one connection. Ignored where a jump of a clock made it absurd.
 */
export function learnRhythm(
  policy: SupervisorPolicy,
  knownMs: number | undefined,
  observedMs: number,
): number | undefined {
  if (!(observedMs > 0 && observedMs <= policy.silenceMaxMs)) return knownMs
  return knownMs === undefined ? observedMs : Math.round((knownMs + observedMs) / 2)
}
