/**
 * Creates scenarios from recordings. A scenario has the same frames in the same order. Its intervals are the
 * recorded ones, divided by the speed.
 */
import { isRecord, received } from '@brokerwire/core/internal'
import type { RawModuleEmission, RawTradeEmission } from '../events/emissions.ts'
import type { TradeEventKind } from '../events/emitted.ts'
import type { Scenario, ScenarioStep } from '../scenario/scenario.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { getAccount, type RecordedEvent, type Recording } from './recording.ts'

/** Options of {@link replaySteps}. */
export interface ReplayOptions {
  /**
   * Factor by which the replay is faster than the recording. With `'max'` there are no pauses.
   *
   * @defaultValue 1
   */
  readonly speed?: number | 'max' | undefined
  /** Name or key of the app that sends the events. @defaultValue the first app */
  readonly app?: string | undefined
  /**
   * Accounts of that app. Subscriptions to them receive the events of the recording's accounts: subscriptions
   * to the first one receive the events of the account that appears first in the recording, and so on. If
   * there are fewer accounts than in the recording, one account is used for several. Payloads are unchanged.
   *
   * @defaultValue the app's first account receives all events
   */
  readonly accounts?: readonly string[] | undefined
}

/** Maximum value of `afterMs` in a step. */
const MAX_PAUSE_MS = 864_000_000

/**
 * Creates a scenario from a recording. Frames have the recorded payloads, ids, cursors and times.
 *
 * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID`
 *
 * @example
 * ```ts
 * import { type Recording, replaySteps, startSimulator } from '@brokerwire/simulator'
 *
 * declare const recording: Recording
 *
 * await using simulator = await startSimulator()
 * await simulator.waitForSubscriptions()
 * await simulator.startScenario(replaySteps(recording, { speed: 10, accounts: simulator.accounts })).done
 * ```
 */
export function replaySteps(recording: Recording, options: ReplayOptions = {}): Scenario {
  const { speed = 1, app, accounts = [] } = readArguments(options, ['speed', 'app', 'accounts'])
  if (speed !== 'max' && !(typeof speed === 'number' && speed >= 0.001 && speed <= 1_000_000)) {
    throw argumentFailure('speed', "a number from 0.001 to 1000000, or 'max'", received(speed))
  }
  if (!Array.isArray(accounts) || accounts.some((account) => typeof account !== 'string')) {
    throw argumentFailure('accounts', 'an array of strings', received(accounts))
  }
  if (!isRecord(recording) || !Array.isArray(recording.events) || !Array.isArray(recording.accounts)) {
    throw argumentFailure('recording', 'a result of readRecording()', received(recording))
  }
  const { events } = recording
  const accountIndexes = new Map(recording.accounts.map((account, index) => [account, index]))
  return {
    *[Symbol.iterator]() {
      const mapAccount = ({ stream, payload }: RecordedEvent): string | undefined => {
        const recorded = stream === 'module' ? undefined : getAccount(payload)
        if (recorded === undefined) return undefined
        // If the account belongs to the app, the recording is of this app and the account is not replaced.
        if (accounts.includes(recorded)) return recorded
        return accounts[(accountIndexes.get(recorded) ?? 0) % accounts.length]
      }
      let before: number | undefined
      for (const event of events) {
        const pauseMs = Math.max(0, event.receivedAtMs - (before ?? event.receivedAtMs))
        before = event.receivedAtMs
        const afterMs = speed === 'max' ? 0 : Math.min(MAX_PAUSE_MS, Math.round(pauseMs / speed))
        yield toStep(event, { afterMs, app, accountId: mapAccount(event) })
      }
    },
  }
}

type StepTarget = Pick<ScenarioStep, 'afterMs'> & {
  readonly app: string | undefined
  readonly accountId: string | undefined
}

function toStep(event: RecordedEvent, { accountId, ...place }: StepTarget): ScenarioStep {
  const { payload } = event
  if (event.stream === 'module') {
    const { id, eventType, position, timestamp, version } = event.frame
    const emission: RawModuleEmission = { id, eventType, position, timestamp, version, payload }
    return { type: 'module-frame', ...place, ...emission }
  }
  const { eventType, contentType, requestId, timestamp } = event.frame
  const kind = getTradeKind(event)
  const emission: RawTradeEmission = { kind, eventType, contentType, requestId, payload, accountId }
  return { type: 'frame', ...place, ...emission, timestampMs: Number(timestamp) }
}

/**
 * Returns the kind of the frame, which decides which subscriptions receive it. The kind depends on the
 * recorded stream; on the account stream, on the kind of the event.
 */
function getTradeKind({ stream, kind }: RecordedEvent): TradeEventKind {
  if (kind === 'option') return 'option'
  const isPosition = stream === 'position' || (stream === 'account' && kind === 'position')
  return isPosition ? 'position' : 'order'
}
