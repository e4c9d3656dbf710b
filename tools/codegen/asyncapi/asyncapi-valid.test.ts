/** Validates the generated AsyncAPI document with the parser of the AsyncAPI Initiative. */
import { readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'
import { expect, test } from 'vitest'

const FILE = new URL('../../../packages/protos/asyncapi.json', import.meta.url)
const text = readFileSync(FILE, 'utf8')

/** Parses a document, and returns its errors and warnings. Other diagnostics only inform. */
async function parse(source: string) {
  const { document, diagnostics } = await new Parser().parse(source)
  const problems = diagnostics.filter(({ severity }) => severity < 2)
  return { document, problems: problems.map(({ path, message }) => `${path.join('.')}: ${message}`) }
}

test('asyncapi.json is valid AsyncAPI 3', async () => {
  const { document, problems } = await parse(text)
  expect(problems).toEqual([])
  expect(document?.version()).toBe('3.0.0')
  const names = document?.operations().map((operation) => operation.id())
  expect(names).toEqual(Object.keys((JSON.parse(text) as { operations: object }).operations))
})

test('the parser finds a message of another channel', async () => {
  const channel = { messages: { ping: { payload: { type: 'string' } } } }
  const receive = {
    action: 'receive',
    channel: { $ref: '#/channels/one' },
    messages: [{ $ref: '#/channels/two/messages/ping' }],
  }
  const info = { title: 'A test', version: '1' }
  const document = {
    asyncapi: '3.0.0',
    info,
    channels: { one: channel, two: channel },
    operations: { receive },
  }
  expect((await parse(JSON.stringify(document))).problems.join('\n')).toMatch(/operations\.receive\.messages/)
})
