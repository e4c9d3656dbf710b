/** Sinks of other packages, loaded from files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadSinkPackage } from './package-sink.ts'

const ADDRESS = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
const context = { address: ADDRESS, onState: () => {} }

async function write(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'brokerwire-package-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'sink.mjs')
  await writeFile(file, text)
  return file
}

const load = (name: string, options = {}) => loadSinkPackage({ type: 'package', package: name, options })

test('gives createSink the address and the options of the configuration', async () => {
  const file = await write(`export const given = []
export function createSink(context) {
  given.push(context)
  return { tail() {}, publish() {}, close() {} }
}`)
  const createSink = await load(file, { table: 'events' })
  createSink(context)
  const { given } = await import(file)
  expect(given).toEqual([{ ...context, options: { table: 'events' } }])
})

test('fails with the command that installs a missing package', async () => {
  await expect(load('brokerwire-no-such-sink')).rejects.toMatchObject({
    code: 'RELAY_SINK_MISCONFIGURED',
    details: { setting: 'sink.package', command: 'npm install brokerwire-no-such-sink' },
  })
})

test('fails if the package cannot be loaded or has no createSink, and if that returns no sink', async () => {
  const error = { code: 'RELAY_SINK_MISCONFIGURED', details: { setting: 'sink.package', command: undefined } }
  await expect(load(await write('throw new Error("no licence")'))).rejects.toMatchObject({
    ...error,
    message: expect.stringContaining('no licence'),
  })
  await expect(load(await write('export const other = 1'))).rejects.toMatchObject(error)
  const createSink = await load(await write('export const createSink = () => ({ publish() {} })'))
  expect(() => createSink(context)).toThrow('sink.package must be createSink to return a sink')
})
