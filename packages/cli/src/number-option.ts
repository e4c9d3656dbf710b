/** Whole numbers on the command line. */
import { InvalidArgumentError } from 'commander'

/** Makes a parser for an option. Commander tells the person which option was wrong. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}
