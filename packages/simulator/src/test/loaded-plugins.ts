/** Starts a simulator with the options in the first argument, and prints the loaded libraries of plugins. */
import { createRequire } from 'node:module'
import { startSimulator } from '../index.ts'

const simulator = await startSimulator(JSON.parse(process.argv[2] ?? '{}'))
await simulator.close()
const loaded = Object.keys(createRequire(import.meta.url).cache)
const libraries = ['mqtt-packet', 'ws'].filter((name) =>
  loaded.some((path) => path.includes(`/node_modules/${name}/`)),
)
process.stdout.write(JSON.stringify(libraries))
