/**
 * Options of every public function: a misspelt name is rejected with the nearest known one, also in a group of options, and
 * nothing is read from `Object.prototype`, which another library may have changed.
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

interface Refusal {
  readonly message: string
  readonly code: string
  readonly details: Readonly<Record<string, string>>
}

/** The outcome of a call. Its result is closed. */
async function outcomeOf(row: OptionRow, options: object): Promise<{ readonly error?: unknown }> {
  try {
    const made = (await row.call(options as never)) as { close?(): unknown; return?(): unknown } | undefined
    if (typeof made?.close === 'function') await made.close()
    else if (typeof made?.return === 'function') await made.return()
    return {}
  } catch (error) {
    return { error }
  }
}

/** The error for an option of another name. */
async function refusalOf(row: OptionRow, name: string): Promise<Refusal> {
  const { error } = await outcomeOf(row, { ...row.least, [name]: undefined })
  expect(error).toMatchObject({ code: expect.stringMatching(/_INVALID$/), details: expect.anything() })
  return error as Refusal
}

const namesOf = async (row: OptionRow): Promise<readonly string[]> => {
  const { expected } = (await refusalOf(row, 'zzz')).details
  return expected?.replace(/^one of /, '').split(', ') ?? []
}

test.each(rows)('$name rejects a misspelt name, and suggests the nearest', async (row) => {
  const { message } = await refusalOf(row, 'zzz')
  const names = await namesOf(row)
  expect(message).toBe(`unknown option "${row.within ?? ''}zzz". The options are ${names.join(', ')}`)
  expect(names).toEqual(expect.arrayContaining(Object.keys(row.least)))
  for (const name of names) {
    const misspelt = `${name}${name.at(-1)}`
    const refusal = await refusalOf(row, misspelt)
    expect(refusal.message).toBe(`unknown option "${row.within ?? ''}${misspelt}". Did you mean "${name}"?`)
  }
})

test.each(rows)('$name reads nothing from Object.prototype', async (row) => {
  const names = await namesOf(row)
  const expected = await outcomeOf(row, row.least)
  const read = new Set<string>()
  for (const name of names) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      get() {
        // Only reads by the packages count.
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
    expect(await outcomeOf(row, row.least)).toEqual(expected)
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name)
  }
  expect([...read]).toEqual([])
})

test('has a row for every exported function that creates something', () => {
  const makers = [...reportedValues().values()].flat().filter((name) => /^(?:create|start)[A-Z]/.test(name))
  const named = rows.flatMap(({ name }) => name.split(/[ ,]+/))
  expect(makers.length).toBeGreaterThan(25)
  for (const maker of makers) expect([...named, ...WITHOUT_OPTIONS]).toContain(maker)
})
