/**
 * The demo of event streams on a local service: a token with second factor, three streams, lost connections,
 * and a comparison of the delivered events with those that were sent.
 */
import { type Brokerage, createBrokerage } from '@brokerwire/client'
import { systemClock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { type ScenarioStep, type Simulator, startSimulator } from '@brokerwire/simulator'
import { CliError } from '../cli-error.ts'
import { EXIT, getStopStatus } from '../exit-status.ts'
import type { Io } from '../io.ts'
import { renderLine } from '../render/line.ts'
import { createPaint, type Paint, type Tone } from '../render/palette.ts'
import { consoleAddress, serviceLines } from '../render/service-lines.ts'
import { consoleFile } from '../settings/paths.ts'
import { type Counters, createCounters, failedExpectations } from './counters.ts'
import { demoPlan } from './plan.ts'
import { openStreams } from './streams.ts'
import { summaryLines } from './summary.ts'

/** Options of {@link runDemo}. */
export interface DemoOptions {
  /** Continue until stopped, and print addresses and credentials of the local service. */
  readonly keep: boolean
  /** Milliseconds between two events. @defaultValue 200 */
  readonly stepMs?: number | undefined
  /** Milliseconds before the simulated person enters the code. @defaultValue 800 */
  readonly approvalDelayMs?: number | undefined
  /** Milliseconds between two checks of the token. @defaultValue 500 */
  readonly pollIntervalMs?: number | undefined
}

/**
 * Runs the demo.
 *
 * @returns Exit status: 0 if all checks passed. With `keep` it is also 0 if the demo is stopped after its
 * last step. 130 or 143 if the demo is stopped before that.
 * @throws CliError `CLI_DEMO_FAILED` if a check failed.
 */
export async function runDemo(options: DemoOptions, io: Io): Promise<number> {
  const paint = createPaint(io.color)
  const print = (tag: string, text: string, tone: Tone = 'strong'): void =>
    io.out(renderLine({ at: Date.now(), tag, text, tone }, paint))
  await using simulator = await startSimulator({
    environment: 'production',
    control: options.keep,
    console: options.keep,
    consoleFile: options.keep ? consoleFile(io.env) : undefined,
    // After a reconnect, the service sends the event of the cursor again, so that the demo shows discarded
    // duplicates.
    cursor: 'inclusive',
    pingIntervalMs: 1000,
  })
  print('service', `the local service runs in production mode at ${simulator.baseUrl}`)
  if (options.keep) {
    for (const line of serviceLines(simulator)) io.out(line)
    print('console', `open ${consoleAddress(simulator)}`)
  }
  const tally = createCounters()
  await using brokerage = connect({ simulator, options, tally, io, say: print })
  let isCompleted = false
  try {
    const onCompleted = () => {
      isCompleted = true
    }
    return await runSteps({
      brokerage,
      simulator,
      options,
      tally,
      io,
      paint,
      say: print,
      played: onCompleted,
    })
  } catch (error) {
    if (!io.signal.aborted) throw error
    if (isCompleted) return EXIT.done
    print('stopped', 'before the end', 'notice')
    return getStopStatus(io.signal.reason)
  }
}

interface DemoContext {
  readonly brokerage: Brokerage
  readonly simulator: Simulator
  readonly options: DemoOptions
  readonly tally: Counters
  readonly io: Io
  readonly paint: Paint
  readonly say: (tag: string, text: string, tone?: Tone) => void
  /** Called after the last step. From then on the demo continues until it is stopped. */
  readonly played: () => void
}

function connect({
  simulator,
  options,
  tally,
  io,
  say,
}: Omit<DemoContext, 'brokerage' | 'paint' | 'played'>): Brokerage {
  return createBrokerage({
    region: simulator.region,
    environment: simulator.environment,
    ...simulator.credentials,
    overrides: {
      baseUrl: simulator.baseUrl,
      eventsUrl: simulator.eventsUrl,
      moduleEventsUrl: simulator.moduleEventsUrl,
    },
    tokens: {
      pollIntervalMs: options.pollIntervalMs ?? 500,
      onSecondFactor() {
        say('token', 'PENDING: you must enter a code in the app within 5 minutes', 'notice')
        // Simulates a person who enters the code.
        sleep(systemClock, options.approvalDelayMs ?? 800, io.signal).then(
          () => {
            simulator.approveSecondFactor()
            say('person', 'entered the code', 'notice')
          },
          () => undefined,
        )
      },
    },
    observer: {
      onStreamBatch({ stream, duplicates }) {
        if (stream !== 'account') tally.duplicates(stream, duplicates)
      },
    },
  })
}

async function runSteps({
  brokerage,
  simulator,
  options,
  tally: counters,
  io,
  paint,
  say,
  played,
}: DemoContext): Promise<number> {
  say('token', 'requesting an access token')
  const token = await brokerage.accessTokens.get({ signal: io.signal })
  const until =
    token?.expiresAtMs === undefined ? '' : `, valid until ${new Date(token.expiresAtMs).toISOString()}`
  say('token', `NORMAL${until}`, 'good')

  const streams = openStreams({
    brokerage,
    simulator,
    counters,
    signal: io.signal,
    out: (line) => io.out(renderLine(line, paint)),
  })
  try {
    const run = async (steps: readonly ScenarioStep[]): Promise<void> => {
      const end = await streams.raceWithFailure(simulator.startScenario(steps).done)
      if (!end.ok) throw end.error
    }
    const plan = demoPlan(options.stepMs ?? 200)
    await streams.waitForSubscriptions(1)
    await run(plan.before)
    await streams.waitForDelivery()
    say('network', 'all stream connections are lost', 'bad')
    simulator.setReachable(false)
    simulator.dropConnections()
    await run(plan.during)
    simulator.setReachable(true)
    say('network', 'the service can be reached again', 'good')
    await streams.waitForSubscriptions(2)
    await run(plan.after)
    await streams.waitForDelivery()
    if (options.keep) {
      played()
      say('service', 'runs until Ctrl-C')
      await streams.raceWithFailure(simulator.startScenario('lifecycles-forever', { intervalMs: 1000 }).done)
    }
  } finally {
    await streams.close()
    const sent = { trade: simulator.tradeEvents(), module: simulator.moduleEvents() }
    for (const line of summaryLines(counters, sent, paint)) io.out(line)
  }
  const failed = failedExpectations(counters, {
    trade: simulator.tradeEvents(),
    module: simulator.moduleEvents(),
  })
  if (failed.length > 0) {
    throw new CliError('CLI_DEMO_FAILED', `the demo did not observe: ${failed.join('; ')}`, {
      details: { expected: failed },
    })
  }
  return EXIT.done
}
