import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inProcesses } from './in-processes.ts'

test('each process measures by itself, and nothing is left behind', async () => {
  let folder = ''
  const printed = await inProcesses<{ pid: number }>(async (file, within) => {
    folder = within
    writeFileSync(file, 'console.log(JSON.stringify({ pid: process.pid }))')
  })
  expect(new Set(printed.map(({ pid }) => pid)).size).toBe(3)
  expect(existsSync(folder)).toBe(false)
})

test('a program that fails ends the measurement', async () => {
  const bundle = async (file: string) => writeFileSync(file, 'process.exit(3)')
  await expect(inProcesses(bundle)).rejects.toThrow(/measure\.mjs/)
})
