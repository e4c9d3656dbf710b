/** The configuration file of `simulate`. Errors have line and column. */
import {
  isRecord,
  JsonLineError,
  type JsonWithLines,
  readJsonWithLines,
  type TextPosition,
} from '@brokerwire/core/internal'
import { isSimulatorError } from '@brokerwire/simulator'
import { CliError } from '../cli-error.ts'
import { MAX_FILE_BYTES, readBytes, readSecret } from '../input.ts'
import { suggestion } from '../suggestion.ts'
import { CONFIG_NAMES } from './schema.ts'

/** Text that is added to messages about a name that is similar to no known name. */
const ALL_NAMES = ' (schemas/simulate.schema.json in this package lists all names)'

/** A parsed configuration file. */
export interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>
  /** Adds the position in the file to a library error about one of its options. */
  located(error: unknown): unknown
}

/** @throws CliError `CLI_CONFIG_INVALID`, `CLI_INPUT_UNREADABLE`, `CLI_SECRET_EXPOSED` */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const invalid = ({ line, column }: TextPosition, expected: string): CliError<'CLI_CONFIG_INVALID'> =>
    new CliError('CLI_CONFIG_INVALID', `${file}:${line}:${column}: ${expected}`, {
      details: { file, expected },
    })
  const json = parse(new TextDecoder().decode(await readBytes(file)), invalid)
  const values = json.value
  if (!isRecord(values)) throw invalid(json.positionOf(''), 'must be a JSON object')
  for (const name of Object.keys(values)) {
    if (name !== '$schema' && !CONFIG_NAMES.includes(name)) {
      const meant = suggestion(name, CONFIG_NAMES) || ALL_NAMES
      throw invalid(json.namePositionOf(name), `unknown option ${name}${meant}`)
    }
  }
  // A file with a secret is read again by the function that checks that only its owner can access it.
  const apps: readonly unknown[] = Array.isArray(values.apps) ? values.apps : []
  const hasSecret = [values, ...apps].some((app) => isRecord(app) && app.appSecret !== undefined)
  if (hasSecret || values.tls !== undefined) await readSecret(file, MAX_FILE_BYTES)
  const { $schema: _, ...options } = values
  return {
    values: options,
    located(error) {
      if (!isSimulatorError(error, 'SIMULATOR_OPTION_INVALID')) return error
      const { option } = error.details
      const isInFile = Object.hasOwn(options, option.replace(/[.[].*$/s, ''))
      return isInFile ? invalid(json.positionOf(option), error.message) : error
    },
  }
}

function parse(text: string, invalid: (position: TextPosition, expected: string) => Error): JsonWithLines {
  try {
    return readJsonWithLines(text)
  } catch (error) {
    if (!(error instanceof JsonLineError)) throw error
    throw invalid(error, `must be JSON: ${error.expected} instead of ${error.found}`)
  }
}
