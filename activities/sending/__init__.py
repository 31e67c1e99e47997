"""Handing a decided reply over: claim, one try, and a truthful report (OB4-OB10)."""

from activities.sending.delivery import Delivery

__all__ = ["Delivery"]
