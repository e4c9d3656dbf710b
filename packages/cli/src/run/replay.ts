/** Runs `brokerwire replay`. */
import { systemClock } from '@brokerwire/core'
import { abortReason, addAbortListener, isRecord, sleep } from '@brokerwire/core/internal'
import {
  type ControlEmission,
  type Recording,
  type ReplayOptions,
  readRecording,
  replaySteps,
  type Scenario,
  type ScenarioStep,
  type SimulatorControl,
  startSimulator,
} from '@brokerwire/simulator'
import { fileError, optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readText } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import { serviceLines } from '../render/service-lines.ts'
import { OTHER_VARIABLES } from '../settings/settings.ts'
import { connectToService } from '../simulate/connect.ts'

interface ReplayFlags {
  readonly speed?: number | 'max'
  readonly app?: string
}

/** Size limit of a recording. */
const MAX_BYTES = 256 * 1024 * 1024

export const run: Run<ReplayFlags> = async ({ args, flags, io }) => {
  const file = String(args[0])
  const control = (io.env[OTHER_VARIABLES.controlUrl] ?? '') === '' ? undefined : connectToService(io)
  const recording = readRecording(await readText(file, MAX_BYTES), file)
  if (control === undefined) {
    if (flags.app !== undefined)
      throw optionError(
        '--app',
        'must be used only with a running service, and BROKERWIRE_CONTROL_URL is not set',
      )
    requireEvents(recording, file)
    await replayLocally(recording, flags, io)
  } else await replayRemotely(recording, { ...flags, file }, control, io)
  io.err(`${file}: ${recording.events.length} events replayed`)
  return EXIT.done
}

/**
 * Checks that a recording has events.
 *
 * @throws CliError `CLI_INPUT_UNREADABLE`
 */
function requireEvents({ events }: Recording, file: string): void {
  if (events.length > 0) return
  throw fileError(file, 'must be a recording with at least one event; received none')
}

const TRADE_STREAMS = ['trade', 'position', 'account'] as const

/** Replays on a new local service. */
async function replayLocally(recording: Recording, { speed }: ReplayFlags, io: GuardedIo): Promise<void> {
  const { accounts, events } = recording
  const streams = new Set(events.map(({ stream }) => stream))
  await using simulator = await startSimulator({
    ...(accounts.length === 0 ? {} : { accounts }),
    combinedSubscribeTypes: streams.has('account'),
  })
  io.out('# A local service that replays the recording after a subscription to each of its streams.')
  for (const line of serviceLines(simulator)) io.out(line)
  let stop = (): void => void simulator.close()
  const stopListening = addAbortListener(io.signal, () => stop())
  try {
    const required = [
      { service: 'trade', count: TRADE_STREAMS.filter((stream) => streams.has(stream)).length },
      { service: 'module', count: Number(streams.has('module')) },
    ] as const
    for (const { service, count } of required) {
      if (count > 0) await simulator.waitForSubscriptions({ service, count, timeoutMs: 86_400_000 })
    }
    const playing = simulator.startScenario(replaySteps(recording, { speed, accounts: simulator.accounts }))
    stop = () => playing.stop()
    const end = await playing.done
    if (!end.ok) throw end.error
    io.signal.throwIfAborted()
    // Waits until all frames were read.
    await simulator.shutdown()
  } catch (error) {
    throw io.signal.aborted ? abortReason(io.signal) : error
  } finally {
    stopListening()
  }
}

/** Replays on a running service, frame by frame. */
async function replayRemotely(
  recording: Recording,
  { speed, app, file }: ReplayFlags & { readonly file: string },
  control: SimulatorControl,
  io: GuardedIo,
): Promise<void> {
  const options: ReplayOptions = { speed, app, accounts: await readAccounts(control, app) }
  requireEvents(recording, file)
  const steps: Scenario = replaySteps(recording, options)
  const startedAt = performance.now()
  let dueMs = 0
  for (const step of steps) {
    dueMs += step.afterMs ?? 0
    // Uses the clock of core, because the timers of the host support at most 24.8 days and fire immediately
    // if the delay is longer.
    await sleep(systemClock, startedAt + dueMs - performance.now(), io.signal)
    await control.emit(toEmission(step))
  }
}

/** Reads the accounts of an app on a running service. */
async function readAccounts(control: SimulatorControl, app: string | undefined): Promise<readonly string[]> {
  const { apps } = await control.state()
  const all: readonly unknown[] = Array.isArray(apps) ? apps : []
  const found = all.find(
    (item) => isRecord(item) && (app === undefined || item.name === app || item.appKey === app),
  )
  if (isRecord(found) && Array.isArray(found.accounts)) return found.accounts.map(String)
  const names = all.map((item) => (isRecord(item) ? String(item.name) : '?')).join(', ')
  throw optionError('--app', `must be the name of an app of the running service: ${names}`)
}

/** Converts a step of a recording to a control call. */
function toEmission({ afterMs: _, ...step }: ScenarioStep): ControlEmission {
  if (step.type === 'frame') {
    const { type: _, app, ...frame } = step
    return { app, frame }
  }
  if (step.type !== 'module-frame') throw new TypeError(`a recording has no step of type ${step.type}`)
  const { type: _type, app, ...moduleFrame } = step
  return { app, moduleFrame }
}
