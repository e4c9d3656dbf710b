/** One error for all missing settings and flags, with all ways to set them. */
import { CliError, type MissingValue } from '../cli-error.ts'
import { getSetting, type SettingName } from './settings.ts'

/** Describes a missing setting. The app secret has no flag; only `--app-secret-file` exists. */
export function missingSetting(name: SettingName): MissingValue {
  const { key, flag = '', variable, choices } = getSetting(name)
  const shownFlag = name === 'appSecret' ? getSetting('appSecretFile').flag : flag
  const values = choices && `<${choices.join('|')}>`
  return {
    name: key.replaceAll('-', ' '),
    flag: values === undefined ? (shownFlag ?? '') : flag.replace(/<.*>/, values),
    variable,
    key,
  }
}

/** Creates the error that lists all missing values. */
export function missingError(missing: readonly MissingValue[]): CliError<'CLI_VALUE_MISSING'> {
  const names = missing.map(({ name }) => name)
  const all = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ')
  const isSetting = missing.some(({ key }) => key !== undefined)
  const ways = isSetting ? 'a flag, a variable or `brokerwire config set`' : 'a flag'
  const message = `missing: ${all}. Set ${missing.length === 1 ? 'it' : 'each'} with ${ways}`
  return new CliError('CLI_VALUE_MISSING', message, { details: { missing } })
}

const HEADINGS: MissingValue = { name: '', flag: 'flag', variable: 'variable', key: 'config set' }

/**
 * Returns the lines after the message of {@link missingError}: a table, and a first step without credentials.
 */
export function missingLines({ code, details }: CliError): readonly string[] {
  if (code !== 'CLI_VALUE_MISSING') return []
  const { missing } = details as CliError<'CLI_VALUE_MISSING'>['details']
  const hasSettings = missing.some(({ key }) => key !== undefined)
  const rows = [...(hasSettings ? [HEADINGS] : []), ...missing]
  const width = (field: keyof MissingValue): number =>
    Math.max(...rows.map(({ [field]: text = '' }) => text.length))
  const [names, flags, variables] = [width('name'), width('flag'), width('variable')]
  const lines = rows.map(({ name, flag, variable = '', key = '' }) =>
    `  ${name.padEnd(names)}  ${flag.padEnd(flags)}  ${variable.padEnd(variables)}  ${key}`.trimEnd(),
  )
  if (!missing.some(({ key }) => key === getSetting('appKey').key)) return lines
  return [
    ...lines,
    'No credentials yet? `brokerwire simulate` starts a local service and prints lines that set all of these.',
  ]
}
