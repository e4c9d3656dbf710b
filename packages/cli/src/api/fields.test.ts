/** The flags of the operations. */
import { OPERATIONS } from '@brokerwire/operations/table'
import { expect, test } from 'vitest'
import { api } from '../commands/api.ts'
import { GLOBAL_OPTIONS } from '../frame/definition.ts'
import { fieldOptions, listInputFields } from './fields.ts'

const names = (options: readonly { readonly flags: string }[]): readonly string[] =>
  options.flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? [])

test.each(Object.values(OPERATIONS).map((row) => [row.name, row] as const))(
  'no flag of %s is an option of api or another flag',
  (_, row) => {
    const flags = names(fieldOptions(row))
    expect(new Set(flags).size).toBe(flags.length)
    const others = names([...(api.options ?? []), ...GLOBAL_OPTIONS])
    expect(flags.filter((flag) => others.includes(flag))).toEqual([])
  },
)

test('a secret and a list of objects have no flag', () => {
  const withoutFlag = Object.values(OPERATIONS).flatMap((row) =>
    listInputFields(row).filter(({ flag }) => flag === undefined),
  )
  expect(new Set(withoutFlag.map(({ name }) => name))).toEqual(
    new Set(['token', 'refreshToken', 'legs', 'noPartyIds', 'closeContracts']),
  )
})
