/** The name of the configuration file in commands. */
import { expect, test } from 'vitest'
import { nameConfigFile } from './config-file-name.ts'

const text = 'Create it with brokerwire relay --config FILE --migrate'

test.each([
  ['/etc/brokerwire/relay.json', '/etc/brokerwire/relay.json'],
  ['my relay.json', "'my relay.json'"],
  ["it's.json", "'it'\\''s.json'"],
  ['$&.json', "'$&.json'"],
])('%s is a word of the shell in the command', (file, word) => {
  expect(nameConfigFile(text, file)).toBe(`Create it with brokerwire relay --config ${word} --migrate`)
})

test('a text without the placeholder is not changed', () => {
  expect(nameConfigFile('FILE --config FILES', 'relay.json')).toBe('FILE --config FILES')
  expect(nameConfigFile(text, undefined)).toBe(text)
})
