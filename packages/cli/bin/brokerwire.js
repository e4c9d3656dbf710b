#!/usr/bin/env node
/**
 * Entry of the command. Checked in, so that it is linked on a fresh clone, before anything was built: in a
 * checkout it runs the sources, in an installed package `dist`.
 */
import { existsSync } from 'node:fs'

const inCheckout = existsSync(new URL('../tsconfig.build.json', import.meta.url))
if (inCheckout) await import('./from-source.js')
const { main } = await import(inCheckout ? '../src/main.ts' : '../dist/main.js')
await main(process.argv)
