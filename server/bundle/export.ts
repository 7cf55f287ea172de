export async function exportBundle(..._a: unknown[]): Promise<object> { return {}; }
