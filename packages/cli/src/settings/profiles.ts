/**
 * The profile file. It may contain app secrets and must be private. If it has another mode, it is rejected
 * and its mode is not changed, because others may have read the secrets already.
 */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isBrokerwireError } from '@brokerwire/core'
import { isRecord } from '@brokerwire/core/internal'
import { createFileStore, createPrivateDirectory } from '@brokerwire/stores/file'
import { CliError, fileError, optionError } from '../cli-error.ts'
import { MAX_FILE_BYTES, readSecret } from '../input.ts'
import { replaceFile, resolveLinks } from '../replace-file.ts'
import { receivedText } from '../suggestion.ts'
import { configFile } from './paths.ts'
import { SETTING_NAMES, SETTINGS } from './settings.ts'

/** Profiles by name, with values by key. */
export type Profiles = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The profile that is used by default. */
export const DEFAULT_PROFILE = 'default'
/** Keys of a profile. */
export const SETTING_KEYS: readonly string[] = SETTING_NAMES.map((name) => SETTINGS[name].key)
const FORMAT = 1
const NAME = /^[\w.-]{1,64}$/

/** @throws CliError `CLI_OPTION_INVALID` */
export function checkProfileName(name: string): string {
  if (NAME.test(name) && name !== '__proto__') return name
  throw optionError('--profile', `must be a name of letters, digits, dots and dashes${receivedText(name)}`)
}

function invalid(file: string, expected: string): CliError<'CLI_CONFIG_INVALID'> {
  return new CliError(
    'CLI_CONFIG_INVALID',
    `${file} must ${expected}${expected.endsWith('?') ? '' : '.'} Correct the file, or remove it`,
    {
      details: { file, expected },
    },
  )
}

/**
 * Returns the path of the file.
 * @throws CliError `CLI_OPTION_INVALID` if the environment has no home directory.
 */
export function requireConfigFile(env: Parameters<typeof configFile>[0]): string {
  const file = configFile(env)
  if (file === undefined) throw optionError('HOME', 'must be an absolute path, unless XDG_CONFIG_HOME is one')
  return file
}

/**
 * Reads the file. Without a file there are no profiles.
 *
 * @throws CliError `CLI_CONFIG_INVALID`, `CLI_SECRET_EXPOSED`, `CLI_INPUT_UNREADABLE`
 */
export async function readProfiles(file: string | undefined): Promise<Profiles> {
  if (file === undefined || !existsSync(file)) return {}
  await checkFolders(file)
  let json: unknown
  const text = await readSecret(file, MAX_FILE_BYTES)
  try {
    json = JSON.parse(text)
  } catch {
    // The error has no `cause`, because the host's message quotes the text, which may contain a secret.
    throw invalid(file, 'be JSON')
  }
  if (!isRecord(json) || json.format !== FORMAT || !isRecord(json.profiles))
    throw invalid(file, `be an object with "format": ${FORMAT} and "profiles"`)
  const profiles: Record<string, Record<string, string>> = Object.create(null)
  for (const [name, values] of Object.entries(json.profiles)) {
    if (!NAME.test(name) || !isRecord(values)) throw invalid(file, 'have profiles by name')
    for (const [key, value] of Object.entries(values)) {
      if (!SETTING_KEYS.includes(key))
        throw invalid(file, `have known keys in the profile ${name}${receivedText(key, SETTING_KEYS)}`)
      if (typeof value !== 'string') throw invalid(file, `have a string in ${name}.${key}`)
    }
    profiles[name] = values as Record<string, string>
  }
  return profiles
}

/** Write permission of group and others. */
const OTHERS_WRITE = 0o022

/**
 * Checks the folder of the file, and that of the target of a symbolic link, because a user with write
 * permission there can replace the file. Read permission is allowed, because the file itself is private.
 * Windows has no such modes.
 *
 * @throws CliError `CLI_SECRET_EXPOSED`
 */
async function checkFolders(file: string): Promise<void> {
  if (process.platform === 'win32') return
  for (const folder of new Set([dirname(file), dirname(await resolveLinks(file))])) {
    const mode = (await stat(folder)).mode & 0o777
    if ((mode & OTHERS_WRITE) === 0) continue
    const message = `${folder} must be writable only by its owner, because others could replace the profile file; received mode ${mode.toString(8)}. Run chmod go-w on it`
    throw new CliError('CLI_SECRET_EXPOSED', message, { details: { file: folder } })
  }
}

/**
 * Replaces the file atomically, with mode 0600 in a directory of mode 0700. A lock prevents processes from
 * overwriting each other's changes. The lock of a killed process is released. The lock has its own directory,
 * because other users may have access to the directory of the file.
 *
 * @throws CliError as {@link readProfiles}; `CLI_OPTION_INVALID` if the file would be too large to read
 */
export async function changeProfiles(
  file: string,
  change: (profiles: Profiles) => Profiles,
  signal: AbortSignal,
): Promise<void> {
  try {
    const folder = dirname(file)
    await createPrivateDirectory(folder)
    await checkFolders(file)
    const locks = createFileStore({ directory: join(folder, 'turns') })
    const lock = await locks.lock?.('config.json', { signal })
    try {
      const profiles = change(await readProfiles(file))
      const text = `${JSON.stringify({ format: FORMAT, profiles }, undefined, 2)}\n`
      if (Buffer.byteLength(text) > MAX_FILE_BYTES)
        throw optionError('<value>', `must not make the profile file larger than ${MAX_FILE_BYTES} bytes`)
      await replaceFile(file, text)
    } finally {
      await lock?.release()
    }
  } catch (error) {
    if (isBrokerwireError(error) || signal.aborted) throw error
    const { code = 'unknown reason', path } = error as { readonly code?: unknown; readonly path?: unknown }
    const at = path === undefined ? '' : ` for ${path}`
    throw fileError(file, `cannot be written: ${code}${at}`)
  }
}
