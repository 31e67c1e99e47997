"""What a team knows and what its mail claims: cutting, comparing, ranking, and who may see it (P104-P107)."""
