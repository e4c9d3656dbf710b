/**
 * Options of every public function. An unknown name is rejected with the nearest known name, also in a group
 * of options. Options are not read from `Object.prototype`, which another library may have changed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { afterAll, expect, test } from 'vitest'
import { reportedValues } from '../api/reports.ts'
import { type OptionRow, optionRows, WITHOUT_OPTIONS } from './rows.ts'

const parent = mkdtempSync(join(tmpdir(), 'brokerwire-options-'))
const simulator = await startSimulator()
afterAll(async () => {
  await simulator.close()
  rmSync(parent, { recursive: true, force: true })
})
const rows = optionRows(join(parent, 'store'), simulator)

interface UnknownOptionError {
  readonly message: string
  readonly code: string
  readonly details: Readonly<Record<string, string>>
}

/**
 * Calls the function of a row, and closes its result.
 *
 * @returns The error, if there is one.
 */
async function callWith(row: OptionRow, options: object): Promise<{ readonly error?: unknown }> {
  try {
    const made = (await row.call(options as never)) as { close?(): unknown; return?(): unknown } | undefined
    if (typeof made?.close === 'function') await made.close()
    else if (typeof made?.return === 'function') await made.return()
    return {}
  } catch (error) {
    return { error }
  }
}

/** The error for an unknown option `name`. */
async function unknownOptionError(row: OptionRow, name: string): Promise<UnknownOptionError> {
  const { error } = await callWith(row, { ...row.least, [name]: undefined })
  expect(error).toMatchObject({ code: expect.stringMatching(/_INVALID$/), details: expect.anything() })
  return error as UnknownOptionError
}

const optionNames = async (row: OptionRow): Promise<readonly string[]> => {
  const { expected } = (await unknownOptionError(row, 'zzz')).details
  return expected?.replace(/^one of /, '').split(', ') ?? []
}

test.each(rows)('$name rejects a misspelt option, and suggests the nearest name', async (row) => {
  const { message } = await unknownOptionError(row, 'zzz')
  const names = await optionNames(row)
  expect(message).toBe(`unknown option "${row.within ?? ''}zzz". The options are ${names.join(', ')}`)
  expect(names).toEqual(expect.arrayContaining(Object.keys(row.least)))
  for (const name of names) {
    const misspelt = `${name}${name.at(-1)}`
    const misspeltError = await unknownOptionError(row, misspelt)
    expect(misspeltError.message).toBe(
      `unknown option "${row.within ?? ''}${misspelt}". Did you mean "${name}"?`,
    )
  }
})

test.each(rows)('$name reads no option from Object.prototype', async (row) => {
  const names = await optionNames(row)
  const expected = await callWith(row, row.least)
  const read = new Set<string>()
  for (const name of names) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      get() {
        // Only reads by the code of packages count.
        const [, , caller = ''] = new Error('trace').stack?.split('\n') ?? []
        if (/\/packages\/\w+\/src\//.test(caller)) read.add(`${name} ${caller.trim()}`)
        return undefined
      },
      set(value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true })
      },
    })
  }
  try {
    expect(await callWith(row, row.least)).toEqual(expected)
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name)
  }
  expect([...read]).toEqual([])
})

test('has a row for every exported function whose name begins with "create" or "start"', () => {
  const makers = [...reportedValues().values()].flat().filter((name) => /^(?:create|start)[A-Z]/.test(name))
  const named = rows.flatMap(({ name }) => name.split(/[ ,]+/))
  expect(makers.length).toBeGreaterThan(25)
  for (const maker of makers) expect([...named, ...WITHOUT_OPTIONS]).toContain(maker)
})
