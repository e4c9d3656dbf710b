/**
 * Output that only a terminal shows: progress, a prompt without echo, Ctrl-C, colors. The short set has one case of
 * each.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { COMMAND } from './test/command.ts'
import { run } from './test/run.ts'
import { startService, temporaryStore } from './test/service.ts'
import { openTerminal, TERMINALS, type Terminal } from './test/terminal.ts'

const CTRL_C = '\u0003'
const ESCAPE = '\u001b['
const service = await startService('--second-factor', 'manual', '--interval', '5', '--rate-limit', 'off')

/** Runs the program on a terminal, with the test's own home and store. */
function onTerminal(args: readonly string[], more: Readonly<Record<string, string>> = {}): Terminal {
  const store = temporaryStore()
  const env = { ...service.env, HOME: dirname(store), BROKERWIRE_STORE: store, ...more }
  return openTerminal([process.execPath, COMMAND, ...args], { env })
}

/** Skips cases that run only in the full set. */
const { skip, note } = TERMINALS
const whenFull = test.runIf(inject('isFullRun'))

const NONE = { BROKERWIRE_APP_SECRET: '' }

describe.skipIf(skip)(`progress of token wait${note}`, () => {
  whenFull('counts down in one line, which is gone at the end', async () => {
    const terminal = onTerminal(['token', 'wait', '--create', '--poll-interval', '200ms'])
    await terminal.shows(/Enter the code in the broker's app: \d:\d\d left \(Ctrl-C stops waiting\)/)
    await expect.poll(() => new Set(terminal.shown().match(/\d:\d\d left/g)).size).toBeGreaterThan(1)
    // The line is printed again at the same position.
    expect(terminal.shown()).not.toContain('\n')
    await service.control.approve()
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown().split(`\r${ESCAPE}2K`).at(-1)).toMatch(/^token: usable until [^\n]*\r\n$/)
  })

  test('is cleared by Ctrl-C, which ends with status 130', async () => {
    const terminal = onTerminal(['token', 'wait', '--create'])
    await terminal.shows(/left/)
    terminal.type(CTRL_C)
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toMatch(/2K\s*$/)
  })
})

describe.skipIf(skip)(`a second Ctrl-C${note}`, () => {
  whenFull('ends at once what the first one has not ended', async () => {
    const terminal = onTerminal(['simulate', '--json', '--scenario', 'none'])
    await terminal.shows(/\}\r\n/)
    const { baseUrl } = JSON.parse(terminal.shown())
    // A request that never ends, which the service waits for.
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    onTestFinished(() => {
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n')
    // The service has received the head, and waits for the body.
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /)
    terminal.type(CTRL_C)
    await terminal.shows(/\^C/)
    terminal.type(CTRL_C)
    expect(await terminal.ended).toBe(130)
  })

  whenFull('is not needed if nothing is in progress', async () => {
    const terminal = onTerminal(['simulate', '--json', '--scenario', 'none'])
    await terminal.shows(/\}\r\n/)
    terminal.type(CTRL_C)
    expect(await terminal.ended).toBe(0)
  })
})

describe.skipIf(skip)(`the prompt for the secret${note}`, () => {
  const SECRET = 'correct horse battery staple'

  test('of config set does not echo the input', async () => {
    const home = dirname(temporaryStore())
    const env = { ...NONE, HOME: home }
    const terminal = onTerminal(['config', 'set', 'app-secret'], env)
    await terminal.shows(/App secret/)
    terminal.type(`${SECRET}\r`)
    expect(await terminal.ended).toBe(0)
    for (const word of SECRET.split(' ')) expect(terminal.shown()).not.toContain(word)
    const kept = await run(['config', 'get', 'app-secret', '--reveal'], { env })
    expect(kept.out).toEqual([SECRET])
  })

  whenFull('of a command that signs is on standard error, and Ctrl-C leaves it', async () => {
    const signing = onTerminal(['sign', 'https://api.example.com/a'], NONE)
    await signing.shows(/App secret/)
    signing.type(`${SECRET}\r`)
    expect(await signing.ended).toBe(0)
    expect(signing.shown()).toContain('x-signature: ')
    for (const word of SECRET.split(' ')) expect(signing.shown()).not.toContain(word)
    const left = onTerminal(['sign', 'https://api.example.com/a'], NONE)
    await left.shows(/App secret/)
    left.type(CTRL_C)
    expect(await left.ended).toBe(130)
    expect(left.shown()).not.toContain('x-signature')
  })

  whenFull('of token forget accepts no as the answer', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    expect((await service.run(['token', 'create'], { env })).status).toBe(75)
    const terminal = onTerminal(['token', 'forget'], env)
    await terminal.shows(/No/)
    terminal.type('\r')
    await terminal.ended
    expect((await service.run(['token', 'status'], { env })).status).toBe(75)
  })

  whenFull('of api shows the request, and accepts no as the answer', async () => {
    const env = { BROKERWIRE_STORE: temporaryStore() }
    await service.run(['token', 'create'], { env })
    await service.control.approve()
    expect((await service.run(['token', 'wait', '--poll-interval', '50ms'], { env })).status).toBe(0)
    const cancel = ['api', 'orders.cancel', '--account', 'A1', '--client-order-id', 'my-order-1']
    const terminal = onTerminal(cancel, env)
    await terminal.shows(/Send orders\.cancel to production \(us\)\? accountId=A1 clientOrderId=my-order-1/)
    await terminal.shows(/No/)
    terminal.type('\r')
    expect(await terminal.ended).toBe(1)
    expect(terminal.shown()).toContain('the request was not sent')
  })
})

describe.skipIf(skip)(`colors${note}`, () => {
  const ARGS = ['listen', 'trade', '--count', '1'] as const
  const isColored = (text: string): boolean => text.includes(`${ESCAPE}2m`)

  whenFull.each([
    ['are there', ARGS, {}, true],
    ['are not with NO_COLOR', ARGS, { NO_COLOR: '1' }, false],
    ['are not with --color never', [...ARGS, '--color', 'never'], {}, false],
  ] as const)('on a terminal they %s', async (_, args, env, expected) => {
    const terminal = onTerminal(args, env)
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toMatch(/subscribed/)
    expect(isColored(terminal.shown())).toBe(expected)
  })

  test('are used without a terminal only with --color always, which also overrides NO_COLOR', async () => {
    expect(isColored((await service.run([...ARGS])).out.join())).toBe(false)
    const env = { NO_COLOR: '1' }
    expect(isColored((await service.run([...ARGS, '--color', 'always'], { env })).out.join())).toBe(true)
  })
})

whenFull('the content of a file cannot control a real terminal', async () => {
  const terminal = onTerminal(['vectors', join('/nowhere', `${ESCAPE}2J`)])
  expect(await terminal.ended).toBe(2)
  expect(terminal.shown()).not.toContain(ESCAPE)
})
