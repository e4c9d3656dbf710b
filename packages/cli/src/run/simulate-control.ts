/** Runs the commands that control a running `brokerwire simulate`. */
import { escapeJsonControlChars, parseJsonObject } from '@brokerwire/core/internal'
import type { ControlEmission, ControlFault, QuotesAction, SimulatorControl } from '@brokerwire/simulator'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Invocation, Run } from '../frame/definition.ts'
import { durationProblem, MAX_SPAN_DAYS, parseDuration } from '../number-option.ts'
import { connectToService } from '../simulate/connect.ts'

function readJson(name: string, text: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(text)
  if (value === undefined) throw optionError(name, 'must be a JSON object')
  return value
}

/** Creates a command that calls the simulator and prints the result as one line of JSON. */
function createControlCommand<Flags, Result = unknown>(
  call: (control: SimulatorControl, invocation: Invocation<Flags>) => Promise<Result>,
  getStatus: (result: Result, invocation: Invocation<Flags>) => number = () => EXIT.done,
): Run<Flags> {
  return async (invocation) => {
    const answer = await call(connectToService(invocation.io), invocation)
    invocation.io.out(escapeJsonControlChars(JSON.stringify(answer)))
    return getStatus(answer, invocation)
  }
}

interface AppFlags {
  readonly app?: string
}

export const approve = createControlCommand<AppFlags, { readonly approved: number }>(
  async (control, { args, flags }) => ({
    approved: await control.approve({ app: flags.app, token: args[0] as string | undefined }),
  }),
  ({ approved }, { args, io }) => {
    if (approved > 0 || args[0] === undefined) return EXIT.done
    io.err('<token> must be a pending token; no pending token has this value')
    return EXIT.no
  },
)

export const emit = createControlCommand<AppFlags>((control, { args, flags }) => {
  const [kind, json = '{}'] = args as readonly string[]
  return control.emit({
    app: flags.app,
    [String(kind)]: readJson('<json>', json),
  } as unknown as ControlEmission)
})

export const drop = createControlCommand<{ readonly service?: 'trade' | 'module' }>(
  async (control, { flags }) => ({
    dropped: await control.drop({ service: flags.service }),
  }),
)

export const fault = createControlCommand<object>(async (control, { args }) => {
  await control.fault(readJson('<json>', String(args[0])) as unknown as ControlFault)
  return {}
})

export const advance = createControlCommand<{ readonly scenarioSteps?: number }>(
  async (control, { args, flags }) => {
    const ms = parseDuration(String(args[0]))
    if (ms === undefined) throw optionError('<duration>', durationProblem(String(args[0]), MAX_SPAN_DAYS))
    return control.advance(ms, { scenarioSteps: flags.scenarioSteps })
  },
)

export const quotes = createControlCommand<Omit<QuotesAction, 'action'>>(async (control, { args, flags }) => {
  const { session, count, code } = flags
  const action = String(args[0]) as QuotesAction['action']
  return { reached: await control.quotes({ action, session, count, code }) }
})

export const state = createControlCommand<object>((control) => control.state())
