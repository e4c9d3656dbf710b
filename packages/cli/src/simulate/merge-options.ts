/** Merges options of the library from presets, the file, and flags. Later sources override earlier ones. */
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
import { parseDuration } from '../number-option.ts'
import { parseList } from '../settings/read-settings.ts'
import { receivedText } from '../suggestion.ts'
import { getFlag, SIMULATE_OPTIONS, type SimulateOption } from './options.ts'

/** Flags as commander returns them, by camel case name. */
export type SimulateFlags = Readonly<Record<string, unknown>>

/** Interval of price moves if a flag enables market data, in milliseconds. */
const QUOTE_STEP_MS = 200

const toCamelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Returns the scenario of `--scenario`: a name, or the content of a file. @throws SimulatorError
 * `SIMULATOR_SCENARIO_INVALID`
 */
export async function readScenarioFlag({ scenario }: SimulateFlags): Promise<string | Scenario | undefined> {
  if (scenario === undefined) return undefined
  const name = String(scenario)
  if (name === 'none' || SCENARIO_NAMES.some((known) => known === name)) return name
  // A value that is not a path is a misspelled name.
  if (!/[./\\]/.test(name) && !existsSync(name)) {
    const names = ['none', ...SCENARIO_NAMES]
    throw optionError(
      '--scenario',
      `must be ${names.join(', ')}, or a JSON file such as ./morning.json${receivedText(name, names)}`,
    )
  }
  return readScenarioFile(await readText(name), name)
}

/** Returns the value of an option's flag; `undefined` if the flag was not set. */
function readFlag(option: SimulateOption, flags: SimulateFlags): unknown {
  const value = flags[toCamelCase(getFlag(option) ?? '')]
  if (value === undefined) return undefined
  if (option.kind === 'durationMs') return parseDuration(String(value))
  if (option.kind === 'list') {
    const names = parseList(String(value))
    if (names.length > 0) return names
    throw optionError(`--${getFlag(option)}`, 'must be names separated by commas; received none')
  }
  // Commander sets the option of `--no-x` to true, which is not a value of the user.
  if (option.kind === 'flag' && option.unless) return value === false ? false : undefined
  return option.name === 'moduleEventsPort' ? parsePort(String(value)) : value
}

function parsePort(text: string): number | string {
  if (text === 'shared' || !/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    if (text === 'shared') return text
    throw optionError(
      '--module-events-port',
      `must be a whole number from 0 to 65535, or shared${receivedText(text)}`,
    )
  }
  return Number(text)
}

function parseRateLimit(text: unknown): SimulatorOptions['rateLimit'] {
  if (text === undefined) return undefined
  if (text === 'off') return false
  const [requests = '', window = ''] = String(text).split('/')
  return { requests: Number(requests), windowMs: parseDuration(window) ?? 0 }
}

/** Merges presets, the values of a file and flags. */
export function mergeOptions(
  values: Readonly<Record<string, unknown>>,
  flags: SimulateFlags,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...values }
  for (const option of SIMULATE_OPTIONS) {
    const value = readFlag(option, flags) ?? values[option.name] ?? option.preset
    if (value !== undefined) merged[option.name] = value
  }
  // With the console, tokens wait for their second factor, so that you can see this status.
  const isSet = values.secondFactor !== undefined || flags.secondFactor !== undefined
  if (merged.console === true && !isSet) merged.secondFactor = 'manual'
  const rateLimit = parseRateLimit(flags.rateLimit)
  if (rateLimit !== undefined) merged.rateLimit = rateLimit
  if (flags.quotes === true && (merged.quotes === undefined || merged.quotes === false))
    merged.quotes = { stepMs: QUOTE_STEP_MS }
  // The library has no name for the absence of a scenario.
  if (merged.scenario === 'none') delete merged.scenario
  return merged
}

/** Creates the certificate of `--tls`, or reads that of the user. */
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

/** @throws CliError `CLI_INPUT_UNREADABLE` if the files are not a certificate and its key. */
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
      // The error has no `cause`, because the message may quote the key.
      throw fileError(file, problem)
    }
  }
  attempt(certFile, 'must be a certificate in PEM', { cert })
  attempt(keyFile, 'must be a private key in PEM, without a passphrase', { key })
  attempt(keyFile, `must be the key of the certificate in ${certFile}`, { cert, key })
  return { cert, key }
}

/** Removes a folder of this process with its content. */
export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
