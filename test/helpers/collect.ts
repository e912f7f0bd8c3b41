// Everything a reader yields, in an array; Array.fromAsync is missing in Node 20.

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
