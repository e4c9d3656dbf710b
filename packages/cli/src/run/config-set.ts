/** Runs `brokerwire config set`. */
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readInput } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import { checkValue } from '../settings/check-value.ts'
import { readProfiles, requireConfigFile, writeProfiles } from '../settings/profiles.ts'
import { chosenProfile, type SettingFlags } from '../settings/read-settings.ts'
import { settingOfKey } from '../settings/setting-key.ts'
import { type SettingName, settingOf } from '../settings/settings.ts'

const MAX_SECRET_BYTES = 64 * 1024

export const run: Run<SettingFlags & { readonly unset?: boolean }> = async ({ args, flags, io }) => {
  const name = settingOfKey(args[0])
  const { key } = settingOf(name)
  const file = requireConfigFile(io.env)
  const value = flags.unset ? undefined : await readValue(name, args[1], io)
  if (flags.unset && args[1] !== undefined) throw optionError('--unset', 'no value beside it')
  const profile = chosenProfile(flags, io.env).name
  const profiles = await readProfiles(file)
  const { [key]: _, ...others } = profiles[profile] ?? {}
  const values = value === undefined ? others : { ...others, [key]: value }
  await writeProfiles(file, { ...profiles, [profile]: values })
  return EXIT.done
}

async function readValue(name: SettingName, given: unknown, io: GuardedIo): Promise<string> {
  const { key, secret } = settingOf(name)
  if (secret) {
    if (given !== undefined) {
      const ways =
        'a process list would show it: leave it out, and it is asked for or read from standard input'
      throw optionError('value', `no argument, because ${ways}`)
    }
    const answer = (await io.prompt?.secret('App secret')) ?? (await readInput(io, MAX_SECRET_BYTES)).trim()
    if (answer === '') throw optionError(key, 'a value, from a prompt or from standard input')
    io.keepSecret(answer)
    return answer
  }
  if (typeof given !== 'string' || given === '') throw optionError('value', `a value, or --unset`)
  // Whether http: is taken beyond this machine is said by a flag of each command.
  return checkValue(name, given, { source: key, allowInsecure: true })
}
