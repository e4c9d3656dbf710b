/** What `simulate` starts the library with: presets, then the file, then flags. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import {
  createSelfSignedCertificate,
  readScenarioFile,
  SCENARIO_NAMES,
  type Scenario,
  type SimulatorOptions,
} from '@brokerwire/simulator'
import { fileError, optionError } from '../cli-error.ts'
import { readSecret, readText } from '../input.ts'
import { readDuration } from '../number-option.ts'
import { listOf } from '../settings/read-settings.ts'
import { receivedText } from '../suggestion.ts'
import { flagOf, SIMULATE_OPTIONS, type SimulateOption } from './options.ts'

/** Flags as commander reads them: by the camel case of their names. */
export type SimulateFlags = Readonly<Record<string, unknown>>

/** Between two moves of a price, where the flag asks for market data: fast enough to be seen to live. */
const QUOTE_STEP_MS = 200

const camel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The scenario of `--scenario`: a name, or what is in a file. @throws SimulatorError `SIMULATOR_SCENARIO_INVALID` */
export async function readScenarioFlag({ scenario }: SimulateFlags): Promise<string | Scenario | undefined> {
  if (scenario === undefined) return undefined
  const name = String(scenario)
  if (name === 'none' || SCENARIO_NAMES.some((known) => known === name)) return name
  // What is no path is a name that was meant otherwise.
  if (!/[./\\]/.test(name) && !existsSync(name)) {
    const names = ['none', ...SCENARIO_NAMES]
    throw optionError(
      '--scenario',
      `must be ${names.join(', ')}, or a JSON file such as ./morning.json${receivedText(name, names)}`,
    )
  }
  return readScenarioFile(await readText(name), name)
}

/** The value of an option as the flags say it. `undefined`: they say nothing. */
function fromFlag(option: SimulateOption, flags: SimulateFlags): unknown {
  const value = flags[camel(flagOf(option) ?? '')]
  if (value === undefined) return undefined
  if (option.kind === 'durationMs') return readDuration(String(value))
  if (option.kind === 'list') {
    const names = listOf(String(value))
    if (names.length > 0) return names
    throw optionError(`--${flagOf(option)}`, 'must be names separated by commas; received none')
  }
  // Commander sets what `--no-x` takes away to true from the start: that is no word of the person.
  if (option.kind === 'flag' && option.unless) return value === false ? false : undefined
  return option.name === 'moduleEventsPort' ? portOf(String(value)) : value
}

function portOf(text: string): number | string {
  if (text === 'shared' || !/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    if (text === 'shared') return text
    throw optionError(
      '--module-events-port',
      `must be a whole number from 0 to 65535, or shared${receivedText(text)}`,
    )
  }
  return Number(text)
}

function rateLimitOf(text: unknown): SimulatorOptions['rateLimit'] {
  if (text === undefined) return undefined
  if (text === 'off') return false
  const [requests = '', window = ''] = String(text).split('/')
  return { requests: Number(requests), windowMs: readDuration(window) ?? 0 }
}

/** Options from presets, a file's values and flags. */
export function mergeOptions(
  values: Readonly<Record<string, unknown>>,
  flags: SimulateFlags,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...values }
  for (const option of SIMULATE_OPTIONS) {
    const value = fromFlag(option, flags) ?? values[option.name] ?? option.preset
    if (value !== undefined) merged[option.name] = value
  }
  // Who opens the console wants to see a token wait.
  const isSaid = values.secondFactor !== undefined || flags.secondFactor !== undefined
  if (merged.console === true && !isSaid) merged.secondFactor = 'manual'
  const rateLimit = rateLimitOf(flags.rateLimit)
  if (rateLimit !== undefined) merged.rateLimit = rateLimit
  if (flags.quotes === true && (merged.quotes === undefined || merged.quotes === false))
    merged.quotes = { stepMs: QUOTE_STEP_MS }
  // The library knows no scenario by leaving it out.
  if (merged.scenario === 'none') delete merged.scenario
  return merged
}

/** The certificate of `--tls`, or the person's own. */
export async function readTls(flags: SimulateFlags): Promise<SimulatorOptions['tls']> {
  const { tls, tlsCert, tlsKey } = flags
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw optionError(
      tlsCert === undefined ? '--tls-key' : '--tls-cert',
      `must be given together with ${tlsCert === undefined ? '--tls-cert' : '--tls-key'}`,
    )
  if (typeof tlsCert === 'string' && typeof tlsKey === 'string') return checkTls(tlsCert, tlsKey)
  return tls === true ? createSelfSignedCertificate() : undefined
}

/** @throws CliError `CLI_INPUT_UNREADABLE` where they are no certificate and its key. */
async function checkTls(certFile: string, keyFile: string): Promise<SimulatorOptions['tls']> {
  const cert = await readText(certFile)
  const key = `${await readSecret(keyFile)}\n`
  const attempt = (
    file: string,
    problem: string,
    options: Parameters<typeof createSecureContext>[0],
  ): void => {
    try {
      createSecureContext(options)
    } catch {
      // Not kept as the cause: who knows what it quotes of a key.
      throw fileError(file, problem)
    }
  }
  attempt(certFile, 'must be a certificate in PEM', { cert })
  attempt(keyFile, 'must be a private key in PEM, without a passphrase', { key })
  attempt(keyFile, `must be the key of the certificate in ${certFile}`, { cert, key })
  return { cert, key }
}

/** Removes a folder of this process, whatever it holds. */
export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
