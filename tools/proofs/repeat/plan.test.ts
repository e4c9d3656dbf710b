import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { keepBusy } from './busy.ts'
import { planRuns, repeatLine, select, vitestArgs } from './plan.ts'

test('every other run is busy, and a seed by itself says which', () => {
  const runs = planRuns(4, 10)
  expect(runs).toEqual([
    { seed: 10, busy: false },
    { seed: 11, busy: true },
    { seed: 12, busy: false },
    { seed: 13, busy: true },
  ])
  for (const run of runs) expect(planRuns(1, run.seed)).toEqual([run])
})

test('a name is a project where there is one, otherwise a part of a path', () => {
  const names = ['node', 'trade-stream.node.test.ts']
  const selection = select(names, ['node', 'workerd'])
  expect(selection).toEqual({ projects: ['node'], files: ['trade-stream.node.test.ts'] })
  const run = { seed: 7, busy: true }
  expect(vitestArgs(selection, run)).toEqual([
    'run',
    '--project=node',
    '--sequence.shuffle',
    '--sequence.seed=7',
    'trade-stream.node.test.ts',
  ])
  expect(repeatLine(names, run)).toBe(
    'pnpm test:repeat --runs 1 --seed 7 --only node --only trade-stream.node.test.ts',
  )
})

test('one process keeps each core busy until it is released, and none outlives that', async () => {
  const load = await keepBusy()
  expect(load.pids).toHaveLength(availableParallelism())
  for (const pid of load.pids) expect(process.kill(pid, 0)).toBe(true)
  await load.release()
  for (const pid of load.pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})
