/** Headers of every type that servers use, and invalid ones. */
import { describe, expect, it } from 'vitest'
import { type HeadersInput, headerValues } from './headers.ts'

describe('headerValues', () => {
  it.each<[shape: string, headers: unknown, values: readonly string[]]>([
    ['a Headers', new Headers({ 'X-A': '1' }), ['1']],
    ['a Headers without it', new Headers({ 'X-B': '1' }), []],
    ['a record', { 'x-a': '1', 'x-b': '2' }, ['1']],
    ['a record with capitals', { 'X-A': '1' }, ['1']],
    ['a record with a list', { 'x-a': ['1', '2'] }, ['1', '2']],
    ['a record with two spellings', { 'x-a': '1', 'X-A': '2' }, ['1', '2']],
    ['a record with a number', { 'x-a': 5 }, ['5']],
    ['a record with undefined', { 'x-a': undefined }, []],
    ['a record with null', { 'x-a': null }, []],
    ['a record with an object, whose toString may throw', { 'x-a': Object.create(null) }, ['']],
    ['a record with a list of objects', { 'x-a': [{}, '1'] }, ['', '1']],
    ['half of a Headers', { get: () => '1', 'x-a': '2' }, ['2']],
    ['the other half', { forEach: () => undefined, 'x-a': '2' }, ['2']],
    ['null', null, []],
    ['undefined', undefined, []],
    ['a text', 'x-a: 1', []],
  ])('returns the values of %s', (_shape, headers, values) => {
    expect(headerValues(headers as HeadersInput, new Set(['x-a'])).get('x-a') ?? []).toEqual(values)
  })
})
