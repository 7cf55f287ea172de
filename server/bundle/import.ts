export async function importBundle(..._a: unknown[]): Promise<object> { return {}; }
