/** Addresses that cannot be used, and the lifetime of the server's process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { serveHealth } from './health.ts'

const status = () => ({ isReady: false, members: [], apps: {}, reasons: {} })

test('names the option of a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  await expect(serveHealth({ host: '127.0.0.1', port }, status)).rejects.toMatchObject({
    code: 'RELAY_OPTION_INVALID',
    message: `port must be a free port of 127.0.0.1; received EADDRINUSE at ${port}`,
  })
})

test.each([
  [{ host: '192.0.2.1', port: 0 }, 'host'],
  [{ host: '127.0.0.1', port: 70_000 }, 'port'],
])('names the option of an address that cannot be used: %j', async (place, option) => {
  await expect(serveHealth(place, status)).rejects.toMatchObject({
    code: 'RELAY_OPTION_INVALID',
    details: { option },
  })
})

test('returns the metrics at /metrics, with 500 if they fail, and with 404 without metrics', async () => {
  const address = { host: '127.0.0.1', port: 0 }
  const contentType = 'text/plain; version=0.0.4'
  let read = async () => 'up 1\n'
  await using health = await serveHealth(address, status, { contentType, read: () => read() })
  const response = await fetch(`${health.url}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(contentType)
  expect(await response.text()).toBe('up 1\n')
  expect((await fetch(`${health.url}/metrics`, { method: 'POST' })).status).toBe(405)
  read = () => Promise.reject(new Error('no metrics'))
  expect((await fetch(`${health.url}/metrics`)).status).toBe(500)
  await using without = await serveHealth(address, status)
  expect((await fetch(`${without.url}/metrics`)).status).toBe(404)
})

test('does not keep the process alive, even with a kept-alive connection', async () => {
  const health = fileURLToPath(new URL('health.ts', import.meta.url))
  const program = `
    import { Agent, get } from 'node:http'
    import { serveHealth } from ${JSON.stringify(health)}
    const server = await serveHealth({ host: '127.0.0.1', port: 0 }, () => ({ isReady: true, members: [], apps: {}, reasons: {} }))
    const agent = new Agent({ keepAlive: true })
    await new Promise((resolve) => get(server.url + '/readyz', { agent }, (answer) => {
      console.log(answer.statusCode)
      answer.resume().on('end', resolve)
    }))
  `
  const child = spawn(
    process.execPath,
    ['--conditions=@brokerwire/source', '--import', 'tsx', '--input-type=module', '-e', program],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('.', import.meta.url)) },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(out).toBe('200\n')
})
