/** The receivers of docs/guides/relay-webhooks.md in Node and Python, as processes, behind a webhook sink. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@brokerwire/stores'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { needs } from '@brokerwire/testing/installed'
import { expect, onTestFinished, test } from 'vitest'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { WEBHOOK_SECRET } from '../test/webhook-receiver.ts'
import { makeDirectory } from '../test/webhook-sink.ts'
import { createWebhookSink } from './webhook-sink.ts'

const { skip, note } = needs('python3')
const OTHER_SECRET = `whsec_${Buffer.from('another secret for tests of webhooks').toString('base64')}`

/** Starts a receiver on a free port, and collects the lines that it prints. */
function start(command: string, program: string) {
  const child = spawn(command, [program], {
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: `${OTHER_SECRET} ${WEBHOOK_SECRET}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = { text: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.text += text
  })
  return printed
}

async function requireReceiver(printed: { readonly text: string }): Promise<void> {
  const PORT = /(\d{4,5})(?: \}|\))/
  await expect.poll(() => printed.text).toMatch(PORT)
  const url = `http://127.0.0.1:${PORT.exec(printed.text)?.[1]}`
  const attempts: unknown[] = []
  const open = (secrets: string) => {
    const sink = createWebhookSink({
      address: ADDRESS,
      url,
      secrets,
      store: createMemoryStore(),
      allowPrivateAddresses: true,
      onAttempt: ({ status, reason }) => attempts.push(status ?? reason),
    })
    onTestFinished(() => sink.close())
    return sink
  }
  const sink = open(WEBHOOK_SECRET)
  await sink.tail({ maxEntries: 0 })
  await sink.publish([...entries(1, 3), entry(2)])
  expect(attempts).toEqual([204, 204, 204, 204])
  // The second copy of an event is accepted, and not handled again.
  await expect.poll(() => printed.text.split('\n').filter((line) => line.includes('"id"'))).toHaveLength(3)
  expect(printed.text).toContain('module')
  const stranger = open(`whsec_${Buffer.from('a secret that the receiver does not know').toString('base64')}`)
  await stranger.tail({ maxEntries: 0 })
  const rejected = stranger.publish([entry(9)])
  rejected.catch(() => {})
  await expect.poll(() => attempts.at(-1)).toBe(401)
  expect(printed.text).not.toContain('e-9')
}

test('the receiver in Node handles each event once', async () => {
  const program = join(await makeDirectory(), 'receiver.mjs')
  await bundleProgram(new URL('../test/receivers/node.ts', import.meta.url), program)
  await requireReceiver(start(process.execPath, program))
}, 60_000)

test.skipIf(skip)(
  `the receiver in Python handles each event once${note}`,
  async () => {
    await requireReceiver(
      start('python3', fileURLToPath(new URL('../test/receivers/receiver.py', import.meta.url))),
    )
  },
  60_000,
)
