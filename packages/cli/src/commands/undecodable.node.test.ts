/** Messages that cannot be decoded, in the output of `listen` and `record`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecording, startSimulator } from '@brokerwire/simulator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import { serviceLines } from '../render/service-lines.ts'
import { environmentOf } from '../test/environment.ts'
import { run } from '../test/run.ts'
import { temporaryFolder } from '../test/temporary.ts'

/** Runs a command on a stream with an undecodable event that contains the app secret. */
async function runOver(args: readonly string[], payload: object = {}) {
  const simulator = await startSimulator({ control: true })
  onTestFinished(() => simulator.close())
  const running = run([...args, '--count', '1'], { env: environmentOf(serviceLines(simulator)) })
  await simulator.waitForSubscriptions({ timeoutMs: 45_000 })
  const secret = simulator.credentials.appSecret.reveal()
  simulator.faults.nextFrame('invalid-utf8')
  simulator.emitModule({ module: 'funding', payload: { ...payload, secret } })
  simulator.emitModule({ module: 'funding' })
  return { ...(await running), secret }
}

async function schema() {
  const text = await readFile(new URL('../../schemas/listen.schema.json', import.meta.url), 'utf8')
  return new Ajv2020({ strict: false }).compile(JSON.parse(text))
}

test('listen --json prints the message as base64, without secrets, and continues', async () => {
  const { status, out, secret } = await runOver(['listen', 'module', '--json'])
  const [, gap, line, event] = out.map((text) => JSON.parse(text))
  const validate = await schema()
  expect({ gap, isValid: validate(gap) }).toEqual({ gap, isValid: true })
  expect(gap).toMatchObject({ type: 'notice', kind: 'gap', cause: 'before-subscription' })
  expect({ line, isValid: validate(line) }).toEqual({ line, isValid: true })
  expect(line).toMatchObject({ type: 'undecodable', reason: 'malformed', length: expect.any(Number) })
  expect({ status, type: event.type }).toEqual({ status: 0, type: 'event' })
  expect(line.bytes).toContain('[secret]')
  expect(Buffer.from(line.bytes, 'base64').toString()).not.toContain(secret)
})

test('listen --json prints a message of more than 64 KiB without its bytes', async () => {
  const { out } = await runOver(['listen', 'module', '--json'], { text: 'x'.repeat(70_000) })
  const line = JSON.parse(out[2] ?? '')
  expect(line).toMatchObject({ type: 'undecodable', bytes: null })
  expect((await schema())(line)).toBe(true)
})

test('listen prints the length and the reason', async () => {
  const { out } = await runOver(['listen', 'module'])
  expect(out[2]).toMatch(
    /undecodable +module stream: a message of \d+ bytes cannot be decoded: protobuf: a string is not UTF-8$/,
  )
})

test('record writes it without its bytes, and the recording can be read', async () => {
  const file = join(await temporaryFolder(), 'recording.jsonl')
  const { err } = await runOver(['record', 'module', '--to', file])
  const text = await readFile(file, 'utf8')
  const lines = text.trimEnd().split('\n')
  expect(err).toEqual([`${file}: 1 event, 1 undecodable, 2 notices`])
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ type: 'undecodable', bytes: null })
  expect(readRecording(text).events).toHaveLength(1)
  const decoded = await run(['decode'], { input: text })
  expect({ status: decoded.status, outLines: decoded.out.length, err: decoded.err }).toEqual({
    status: 0,
    outLines: 1,
    err: [],
  })
})
