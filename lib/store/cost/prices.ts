// What tokens cost: prices of a maintained package that is installed with this one, and those of a
// file of the user. Nothing is fetched.

import { toIso } from '../../environment/index.js'
import type { StoreContext } from '../context.js'
import type { PriceFile } from './price-file.js'
import { addTokens, NO_TOKENS, sumTokens, type TokenCounts } from './usage.js'
import { inputOfSize, type ModelUsage } from './usage-counter.js'

/** Dollars per million tokens, which is micro-dollars per token. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWriteHour: number
}

/** What one model cost. */
export interface ModelCost {
  /** `null` where no line says which model it was. */
  readonly model: string | null
  readonly tokens: Readonly<TokenCounts>
  /** In millionths of a dollar; `null` if its price is unknown. */
  readonly microDollars: number | null
}

/** What some tokens cost. Those of a model without a known price are counted, and cost nothing. */
export interface Cost {
  /** Of the tokens whose price is known, in millionths of a dollar. */
  microDollars: number
  /** How many tokens have no known price. */
  unpricedTokens: number
}

export interface Prices {
  /** The prices of a model for a request of that many tokens at that time. */
  find(model: string, inputTokens: number, at: string | null): TokenPrices | undefined
}

/** `file`: JSON with prices that take precedence. */
export async function loadPrices(
  store: StoreContext,
  { file }: { readonly file?: string | undefined } = {},
): Promise<Prices> {
  const own = file === undefined ? undefined : await readOwn(store, file)
  const known = await loadPackage()
  const found = new Map<string, TokenPrices | undefined>()
  return {
    find(model, inputTokens, at) {
      const day = (at ?? toIso(store.env.now())).slice(0, '2026-01-31'.length)
      const key = `${inputTokens} ${day} ${model}`
      if (!found.has(key)) {
        const given = own === undefined ? undefined : findOwn(own, model)
        found.set(key, given ?? known(model, inputTokens, day))
      }
      return found.get(key)
    },
  }
}

async function readOwn(store: StoreContext, file: string): Promise<PriceFile> {
  const { readPriceFile } = await import('./price-file.js')
  return readPriceFile(store, file)
}

function findOwn({ models }: PriceFile, model: string): TokenPrices | undefined {
  const names = Object.keys(models).filter((name) =>
    name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model,
  )
  // The longest is the most precise.
  const [name] = names.sort((one, other) => other.length - one.length)
  if (name === undefined) return undefined
  const { input, output, cacheRead = input, cacheWrite = input } = models[name]!
  const { cacheWriteHour = cacheWrite } = models[name]!
  return { input, output, cacheRead, cacheWrite, cacheWriteHour }
}

type FindPrices = (model: string, inputTokens: number, day: string) => TokenPrices | undefined

/** A program that was bundled without the package knows no prices. */
async function loadPackage(): Promise<FindPrices> {
  try {
    const { calcPrice } = await import('@pydantic/genai-prices')
    return (model, inputTokens, day) => {
      const timestamp = new Date(`${day}T12:00:00.000Z`)
      for (const { id, ...provider } of spellingsOf(model)) {
        const found = calcPrice({ input_tokens: 1 }, id, { ...provider, timestamp })
        if (found !== null) return toPrices(found.model_price, inputTokens)
      }
      return undefined
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return () => undefined
    throw error
  }
}

/** A model as its provider names it, or as a gateway does. */
function spellingsOf(model: string): { id: string; providerId?: string }[] {
  const plain = { id: model }
  if (model.includes('/')) return [plain, { id: model, providerId: 'openrouter' }]
  if (model.includes('anthropic.')) return [plain, { id: model, providerId: 'aws' }]
  return [plain]
}

type PackagePrice = number | undefined | { base: number; tiers: { start: number; price: number }[] }

function toPrices(
  prices: Readonly<Record<string, PackagePrice>>,
  inputTokens: number,
): TokenPrices | undefined {
  const priceOf = (name: string) => {
    const price = prices[name]
    if (typeof price !== 'object') return price
    const tiers = price.tiers.filter(({ start }) => inputTokens > start)
    return tiers.reduce((last, tier) => (tier.start > last.start ? tier : last), {
      start: -1,
      price: price.base,
    }).price
  }
  const input = priceOf('input_mtok')
  const output = priceOf('output_mtok')
  if (input === undefined && output === undefined) return undefined
  const cacheWrite = priceOf('cache_write_mtok') ?? input ?? 0
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: priceOf('cache_read_mtok') ?? input ?? 0,
    cacheWrite,
    cacheWriteHour: priceOf('cache_write_1h_mtok') ?? cacheWrite,
  }
}

/** The cost of each model, rounded once; the one with the most tokens first. */
export function priceModels(prices: Prices, usages: Iterable<ModelUsage>): ModelCost[] {
  const models = new Map<string | null, { tokens: TokenCounts; exact: number | null }>()
  for (const { model, size, tokens, at } of usages) {
    const sum = models.get(model) ?? { tokens: { ...NO_TOKENS }, exact: 0 }
    models.set(model, sum)
    addTokens(sum.tokens, tokens)
    const found = model === null ? undefined : prices.find(model, inputOfSize(size), at)
    if (found === undefined || sum.exact === null) sum.exact = null
    else sum.exact += costOf(tokens, found)
  }
  const costs = [...models].map(([model, { tokens, exact }]) => ({
    model,
    tokens,
    microDollars: exact === null ? null : Math.round(exact),
  }))
  return costs.sort(
    (one, other) =>
      sumTokens(other.tokens) - sumTokens(one.tokens) ||
      ((one.model ?? '') < (other.model ?? '') ? -1 : 1),
  )
}

function costOf(tokens: Readonly<TokenCounts>, prices: TokenPrices): number {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = tokens
  return (
    input * prices.input +
    output * prices.output +
    cacheRead * prices.cacheRead +
    (cacheWrite - cacheWriteHour) * prices.cacheWrite +
    cacheWriteHour * prices.cacheWriteHour
  )
}

/** The cost of all models together. */
export function sumCosts(costs: Iterable<ModelCost>): Cost {
  let microDollars = 0
  let unpricedTokens = 0
  for (const { tokens, microDollars: own } of costs) {
    if (own === null) unpricedTokens += sumTokens(tokens)
    else microDollars += own
  }
  return { microDollars, unpricedTokens }
}
