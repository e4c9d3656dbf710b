/**
 * Validates the generated OpenAPI document with the JSON Schema of the OpenAPI Initiative and another
 * library.
 */
import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'

const FILE = new URL('../../../packages/operations/openapi.json', import.meta.url)
const document = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>

test('openapi.json is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  expect({ valid, errors, version: validator.version }).toEqual({
    valid: true,
    errors: undefined,
    version: '3.1',
  })
})

test('the validator finds an operation without the description of its response', async () => {
  const responses = { 200: { content: {} } }
  const broken = { ...document, paths: { '/orders': { get: { responses } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})
