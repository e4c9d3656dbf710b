import { describe, expect, test } from 'vitest'
import { run, runOrThrow } from './run.ts'
import { publicPackages, resolveTarget, sourceEntries } from './workspace.ts'

describe('resolveTarget', () => {
  const target = {
    source: { workerd: './edge.ts', default: './node.ts' },
    types: './x.d.ts',
    default: './x.js',
  }

  test.each([
    [['source', 'workerd'], './edge.ts'],
    [['source'], './node.ts'],
    [['types'], './x.d.ts'],
    [[], './x.js'],
  ])('%o', (conditions, file) => {
    expect(resolveTarget(target, conditions)).toBe(file)
  })

  test('uses the first matching condition of the manifest, and the next one if it has no target', () => {
    expect(resolveTarget({ b: './b.js', a: './a.js' }, ['a', 'b'])).toBe('./b.js')
    expect(resolveTarget({ a: { deep: './a.js' }, default: './x.js' }, ['a'])).toBe('./x.js')
    expect(resolveTarget({ a: null }, ['a'])).toBeUndefined()
  })
})

test("finds the sources of core's entry points from its manifest", () => {
  const core = publicPackages().find(({ short }) => short === 'core')
  expect(core && [...sourceEntries(core, ['node'])]).toEqual([
    ['.', 'packages/core/src/index.ts'],
    ['./endpoints', 'packages/core/src/endpoints/index.ts'],
    ['./internal', 'packages/core/src/internal.ts'],
    ['./proxy', 'packages/core/src/proxy/index.ts'],
    ['./proxy/internal', 'packages/core/src/proxy/internal.ts'],
    ['./testing', 'packages/core/src/testing/index.ts'],
  ])
})

describe('run', () => {
  const script = "console.log('out'); console.error('err'); process.exitCode = Number(process.env.STATUS)"
  const start = (status: string): ReturnType<typeof run> =>
    run(process.execPath, ['-e', script], { env: { STATUS: status } })

  test('run returns the status and the output of a program', async () => {
    expect(await start('3')).toMatchObject({ status: 3, stdout: 'out\n' })
    expect((await start('0')).output).toContain('err')
  })

  test('runOrThrow throws the output of a failure', async () => {
    await expect(
      runOrThrow(process.execPath, ['-e', "console.error('why'); process.exit(1)"]),
    ).rejects.toThrow('why')
  })
})
