/** Several processes find the lock of one that was killed: one of them takes it over, in each of many rounds. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from '@brokerwire/testing/bundle-program'
import { expect, onTestFinished, test } from 'vitest'

const PROCESSES = 4
const ROUNDS = 200
/** Above what a system gives to a process. */
const NO_PROCESS = '999999999'

test('the lock of a killed process is taken over by one of several that start at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'brokerwire-take-over-'))
  const program = join(folder, 'lock-process.mjs')
  await bundleProgram(new URL('lock-process.ts', import.meta.url), program)
  const children = Array.from({ length: PROCESSES }, () => fork(program, { execArgv: [] }))
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const ask = async (message: object): Promise<string[]> => {
    const answers = children.map(async (child) => String((await once(child, 'message'))[0]))
    for (const child of children) child.send(message)
    return await Promise.all(answers)
  }
  await Promise.all(children.map((child) => once(child, 'message')))
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = join(folder, `state-${round}`)
    await writeFile(`${state}.lock`, round % 2 === 0 ? NO_PROCESS : '')
    const answers = await ask({ lock: state })
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1)
    const others = answers.filter((answer) => answer !== 'held')
    for (const answer of others) expect(answer).toMatch(/process \d+ has it open/)
    await ask({})
  }
})
