/** Runs an example in another engine or server, such as Deno, Bun or Next. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { EXAMPLES } from './bundle-programs.ts'

/** Starts a server, which is stopped after the test. @returns Its URL, from the line that the engine prints. */
export async function serveInEngine(
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(binary, [...args], {
    cwd: EXAMPLES,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: string[] = []
  return await new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      createInterface(output).on('line', (line) => {
        lines.push(line)
        const address = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
        if (address !== undefined) resolve(address)
      })
    child.once('close', () => reject(new Error(lines.join('\n'))))
  })
}
